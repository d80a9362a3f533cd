"""A broker opens the partitions of new topics: it maps an index of each, 10 MB long and still empty, and its binary searches look at five places of
it. Each mapping costs the kernel five tables of pages. Prints nothing. Arguments: the folder of the indexes, the indexes, indexes a second."""
import mmap
import os
import resource
import sys
import time

with open("/proc/self/comm", "w") as comm:
    comm.write("kafka-broker")
os.makedirs(sys.argv[1], exist_ok=True)
count, rate, length = int(sys.argv[2]), int(sys.argv[3]), 10 << 20
resource.setrlimit(resource.RLIMIT_NOFILE, (count + 1000, count + 1000))
files = []
for number in range(8):
    files.append(os.open(f"{sys.argv[1]}/{number}.index", os.O_CREAT | os.O_RDWR))
    os.ftruncate(files[-1], length)
opened, due = [], time.time()
while len(opened) < count:
    for _ in range(rate // 10):
        index = mmap.mmap(files[len(opened) % 8], length, mmap.MAP_SHARED, mmap.PROT_READ)
        for place in range(5):
            index[place << 21]
        opened.append(index)
    due += 0.1
    time.sleep(max(0, due - time.time()))
time.sleep(10000)
