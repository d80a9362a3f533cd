"""A scorer starts: reads a model of MiB from a file at 15 MB/s and holds it as objects; then it scores one request a second."""
import sys
import time

with open("/proc/self/comm", "w") as comm:
    comm.write("scorer")
model = []
with open(sys.argv[1], "rb", 0) as file:
    for _ in range(int(sys.argv[2])):
        model.append(bytearray(file.read(1 << 20)))
        time.sleep(0.06)
while True:
    sum(part[0] for part in model)
    time.sleep(1)
