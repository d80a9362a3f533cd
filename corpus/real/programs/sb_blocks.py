"""Opens blocks of old metrics: reads files from their beginning to their end, each once, at MB/s. Arguments: MB/s, the files. Prints nothing."""
import os
import sys
import time

with open("/proc/self/comm", "w") as comm:
    comm.write("thanos-store")
due = time.time()
for path in sys.argv[2:]:
    file = os.open(path, os.O_RDONLY)
    for n in range(os.fstat(file).st_size >> 20):
        os.pread(file, 1 << 20, n << 20)
        due = max(due + 1 / float(sys.argv[1]), time.time() - 0.5)
        time.sleep(max(0, due - time.time()))
    os.close(file)
