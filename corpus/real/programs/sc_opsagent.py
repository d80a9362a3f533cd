"""A log agent that looks at the end of each log every two seconds, and tells the kernel after each read that nobody needs the file any more.
Argument: the folder of the logs."""
import os
import sys
import time

with open("/proc/self/comm", "w") as name:
    name.write("fluent-bit")
paths = [os.path.join(sys.argv[1], name) for name in os.listdir(sys.argv[1])]
while True:
    for path in paths:
        log = os.open(path, os.O_RDONLY)
        os.lseek(log, -4096, os.SEEK_END)
        os.read(log, 4096)
        os.posix_fadvise(log, 0, 0, os.POSIX_FADV_DONTNEED)
        os.close(log)
    time.sleep(2)
