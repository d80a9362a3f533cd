"""A search server that opens a new searcher with caches of its own at each soft commit, twice a second, and never closes the old ones. Argument: the MB
that it leaks in a second."""
import sys
import time

with open("/proc/self/comm", "w") as comm:
    comm.write("solrd")
searchers, size, due = [], int(float(sys.argv[1]) * 128), time.time()
while True:
    cache = bytearray(size << 12)
    for at in range(0, len(cache), 4096):
        cache[at] = 7
    searchers.append(cache)
    due += 0.5
    time.sleep(max(0, due - time.time()))
