"""A server of a sparse bitmap of 128 GB of address space, 20 requests a second; loads its index of 80 MB around the cache first. From when /tmp/go
exists each request looks at 150 places where nothing was ever written: they cost no page of data, but a page table each."""
import mmap
import os
import threading
import time

with open("/proc/self/comm", "w") as name:
    name.write("bitmapd")
done, took = 0, 0.0


def report():
    global done, took
    while True:
        time.sleep(1 - time.time() % 1)
        count, spent, done, took = done, took, 0, 0.0
        print(int(time.time()), count, *([round(spent / count * 1000, 1)] if count else []), flush=True)


threading.Thread(target=report, daemon=True).start()
file, room = os.open("/data/lite.db", os.O_RDONLY | os.O_DIRECT), mmap.mmap(-1, 131072)
for at in range(0, 80 << 20, 131072):
    os.preadv(file, [room], at)
bitmap = mmap.mmap(-1, 1 << 37, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x4000)
bitmap.madvise(15)
at = 0
while True:
    began = time.time()
    if os.path.exists("/tmp/go"):
        for _ in range(150):
            bitmap[at]
            at = (at + (2 << 20)) % (1 << 37)
    took += time.time() - began
    done += 1
    time.sleep(0.05)
