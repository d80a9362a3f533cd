"""An office program that loads a workbook of MB at MB/s, and then calculates all of it again and again. Arguments: the MB, the MB/s. Prints nothing."""
import sys
import time

with open("/proc/self/comm", "w") as comm:
    comm.write("soffice.bin")
cells = []
for _ in range(int(sys.argv[1])):
    cells.append(bytearray(b"c" * 4096) * 256)
    time.sleep(1 / float(sys.argv[2]))
while True:
    for block in cells:
        block[::4096] = b"s" * 256
        time.sleep(0.002)
