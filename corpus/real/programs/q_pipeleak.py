"""The agent of a container runtime opens a pipe for each probe that it runs and closes none: so many a second, until only MiB of files are
cached. Arguments: the pipes a second, the MiB."""
import os
import resource
import sys
import time

with open("/proc/self/comm", "w") as name:
    name.write("shimd")
resource.setrlimit(resource.RLIMIT_NOFILE, (1000000, 1000000))
each, least, due = int(sys.argv[1]) // 10, int(sys.argv[2]) << 10, time.time()
for _ in range(490000 // each):
    for _ in range(each):
        os.pipe()
    with open("/proc/meminfo") as info:
        if next(int(line.split()[1]) for line in info if line.startswith("Cached:")) < least:
            break
    due = max(due + 0.1, time.time() - 0.1)
    time.sleep(max(0, due - time.time()))
time.sleep(10000)
