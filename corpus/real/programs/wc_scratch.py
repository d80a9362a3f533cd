"""A job writes intermediate results to a directory in memory, 8 MB/s; when it is full, the job tries again once a second."""
import time

with open("/proc/self/comm", "w") as name:
    name.write("mapjob")
with open("/tmp/scratch/part", "wb", buffering=0) as file:
    while True:
        try:
            file.write(b"r" * (1 << 20))
            time.sleep(0.125)
        except OSError:
            time.sleep(1)
