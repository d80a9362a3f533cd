"""Agents of a cloud machine that wait: they hold MiB of memory, and every twelve seconds use two of them to report that they live. Argument: MiB."""
import sys
import time

with open("/proc/self/comm", "w") as comm:
    comm.write("ssm-agent")
held = [bytearray(b"a") * 1048576 for _ in range(int(sys.argv[1]))]
at = 0
while True:
    time.sleep(12)
    for block in held[at : at + 2]:
        block[::4096] = b"b" * 256
    at = (at + 2) % len(held)
