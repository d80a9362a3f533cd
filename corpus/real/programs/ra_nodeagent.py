"""A monitoring agent of a node that forgets to free what it collected: the memory grows without bound, and it never uses it again. Arguments: MiB at the start, MiB/s."""
import sys
import time

with open("/proc/self/comm", "w") as comm:
    comm.write("node-agent")
held = [bytearray(b"m") * 1048576 for _ in range(int(sys.argv[1]))]
print("ready", flush=True)
while not sys.stdin.readline():
    time.sleep(1)
while True:
    held.append(bytearray(b"m") * 1048576)
    time.sleep(1 / float(sys.argv[2]))
