"""A training job that keeps its decoded images in memory and sizes that by what is available: takes memory at 60 MB/s until what is free and the page cache
together are less than so many MB, and goes on when there is more. Prints nothing. Argument: the MB."""
import sys
import time

with open("/proc/self/comm", "w") as name:
    name.write("trainer")


def available():
    with open("/proc/meminfo") as info:
        have = {line.split(":")[0]: int(line.split()[1]) >> 10 for line in info}
    return have["MemFree"] + have["Cached"] + have["Buffers"] - have["Shmem"]


images = []
while True:
    if available() > int(sys.argv[1]):
        images.append(bytearray(b"\1") * (1 << 20))
        time.sleep(1 / 60)
    else:
        time.sleep(0.2)
