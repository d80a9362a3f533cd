"""The agent of a DaemonSet that keeps memory free, as people wrote for nodes that evict pods over their page cache: looks every second whether less than so much
of the memory is free (MemFree), and then reclaims from each group, 24 MB at a time. Argument: the part of the memory, in percent."""
import glob
import sys
import time

with open("/proc/self/comm", "w") as comm:
    comm.write("memguard")


def percent_free():
    with open("/proc/meminfo") as file:
        sizes = {line.split(":")[0]: int(line.split()[1]) for line in file}
    return sizes["MemFree"] * 100 / sizes["MemTotal"]


while True:
    time.sleep(1)
    for path in glob.glob("/sys/fs/cgroup/*/memory.reclaim"):
        if percent_free() < float(sys.argv[1]):
            try:
                with open(path, "w") as file:
                    file.write("24M")
            except OSError:
                pass
