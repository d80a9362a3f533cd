"""A vulnerability scan of a node's file system: some workers read large files from beginning to end, over and over, each from a place of its own, and
forget what they read. Prints nothing. Arguments: the workers, the files."""
import os
import sys
import threading

with open("/proc/self/comm", "w") as name:
    name.write("trivy")


def scan(number, paths):
    while True:
        for path in paths:
            file = os.open(path, os.O_RDONLY)
            size = os.fstat(file).st_size
            start = size // 5 * number
            for at in range(start, start + size // 5, 1 << 18):
                os.pread(file, 1 << 18, at)
                os.posix_fadvise(file, at, 1 << 18, os.POSIX_FADV_DONTNEED)
            os.close(file)


for number in range(int(sys.argv[1])):
    threading.Thread(target=scan, args=(number % 5, sys.argv[2:])).start()
