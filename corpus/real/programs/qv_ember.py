"""Compiles the JavaScript of a forum: its heap grows to MB at 40 MB/s, and then it goes through all of it again and again. Argument: MB."""
import sys
import time

with open("/proc/self/comm", "w") as comm:
    comm.write("ember")
heap = []
for number in range(int(sys.argv[1])):
    heap.append(bytearray(b"j") * 1048576)
    time.sleep(0.025)
while True:
    for block in heap:
        block[::4096] = b"k" * 256
        time.sleep(0.002)
