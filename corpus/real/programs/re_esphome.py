"""An add-on that compiles the firmware of a device: its compiler takes MiB of memory, some 40 a second, and then goes over all of it again and again.
Argument: the MiB."""
import sys
import time

with open("/proc/self/comm", "w") as comm:
    comm.write("esphome")
tree = []
for _ in range(int(sys.argv[1])):
    tree.append(bytearray(b"x") * 1048576)
    time.sleep(0.025)
while True:
    for node in tree:
        node[::4096] = b"y" * 256
    time.sleep(0.1)
