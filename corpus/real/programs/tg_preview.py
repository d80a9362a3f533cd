"""Makes previews: decodes a picture into MB of memory and goes over all of it again for each size of a preview. Argument: MB."""
import sys
import time

with open("/proc/self/comm", "w") as comm:
    comm.write("preview")
picture = []
for _ in range(int(sys.argv[1])):
    picture.append(bytearray(b"r") * 1048576)
    time.sleep(0.03)
while True:
    for row in picture:
        row[::4096] = b"s" * 256
    time.sleep(0.2)
