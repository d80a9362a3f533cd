"""A daemon that forgets to close its eventfds: leaks them until the host has 120 MiB available, then waits for a file, then leaks on until 22 MiB
are available. Argument: that file; it creates the same name with .full when it waits."""
import os
import resource
import sys
import time

resource.setrlimit(resource.RLIMIT_NOFILE, (2000000, 2000000))


def available():
    with open("/proc/meminfo") as meminfo:
        for line in meminfo:
            if line.startswith("MemAvailable"):
                return int(line.split()[1]) // 1024


def leak(left, pause):
    while available() > left:
        for _ in range(1000):
            os.eventfd(0)
        time.sleep(pause)


leak(120, 0)
open(sys.argv[1] + ".full", "w").close()
while not os.path.exists(sys.argv[1]):
    time.sleep(0.2)
leak(22, 0.02)
time.sleep(10000)
