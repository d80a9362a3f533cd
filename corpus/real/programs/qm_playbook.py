"""A playbook of the database's role: it drops the caches, so that enough memory is free, then reserves huge pages, and then looks at the host's
facts for a while. Argument: the huge pages."""
import os
import sys
import time

with open("/proc/self/comm", "w") as comm:
    comm.write("ansible")


def put(path, text):
    with open(path, "w") as file:
        file.write(text)


os.sync()
put("/proc/sys/vm/drop_caches", "3")
put("/proc/sys/vm/nr_hugepages", sys.argv[1])
for _ in range(120):
    for facts in ("meminfo", "cpuinfo", "mounts"):
        with open("/proc/" + facts) as file:
            file.read()
    time.sleep(1)
