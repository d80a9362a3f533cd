"""A scanner of images loads its database of vulnerabilities into memory, 8 MB a second up to so many MB, and goes over all of it again and again. Argument: the
MB."""
import sys
import time

with open("/proc/self/comm", "w") as comm:
    comm.write("trivy")
flaws = []
while True:
    if len(flaws) < int(sys.argv[1]):
        flaws.append(bytearray(b"v") * (1 << 20))
    for part in flaws[-16:]:
        part[::4096] = b"w" * 256
    time.sleep(0.125)
