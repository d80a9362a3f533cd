"""A staging instance of a database that nobody uses: 190 MB, of which its own hourly job reads a little. Argument: seconds until the job."""
import sys
import time

open("/proc/self/comm", "w").write("mariadbd-stage")
pool = [bytearray(b"p") * 1048576 for _ in range(190)]
time.sleep(float(sys.argv[1]))
while True:
    for slab in pool[:24]:
        slab[::4096]
        time.sleep(0.5)
    time.sleep(10)
