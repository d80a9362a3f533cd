"""Connections to chats that people left open: MB of history that nobody reads. Prints ready when it has them. Argument: MB."""
import sys
import time

with open("/proc/self/comm", "w") as comm:
    comm.write("bouncer")
history = [bytearray(b"h") * 1048576 for _ in range(int(sys.argv[1]))]
print("ready", flush=True)
time.sleep(10000)
