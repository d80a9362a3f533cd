"""The memory of a virtual machine: takes MB at MB/s, then writes to all of it again and again, at its ease. Arguments: MB, MB/s."""
import sys
import time

size, rate = int(sys.argv[1]), float(sys.argv[2])
with open("/proc/self/comm", "w") as comm:
    comm.write("kvm")
ram = []
for _ in range(size):
    ram.append(bytearray(b"k") * 1048576)
    time.sleep(1 / rate)
while True:
    for block in ram:
        block[::4096] = b"v" * 256
        time.sleep(0.01)
