"""An idle office program: holds MiB of memory; once a file exists, its user comes back and it touches MiB of that, once, at 8 MiB/s. Arguments: the
MiB, the file, the MiB that the user needs."""
import os
import sys
import time

size, signal, needed = int(sys.argv[1]), sys.argv[2], int(sys.argv[3])
with open("/proc/self/comm", "w") as comm:
    comm.write("soffice.bin")
held = [bytearray(b"\x5a") * 1048576 for _ in range(size)]
print("ready", flush=True)
while not os.path.exists(signal):
    time.sleep(0.5)
for block in held[:needed]:
    block[::4096] = b"y" * 256
    time.sleep(0.125)
time.sleep(10000)
