"""A worker of a service of models: maps the file that all workers share and goes through it, page by page. Arguments: the file, the MB."""
import mmap
import sys
import time

with open("/proc/self/comm", "w") as name:
    name.write("modelworker")
with open(sys.argv[1], "rb") as file:
    model = mmap.mmap(file.fileno(), int(sys.argv[2]) << 20, flags=mmap.MAP_SHARED, prot=mmap.PROT_READ)
while True:
    for at in range(0, len(model), 1 << 20):
        model[at : at + (1 << 20) : 4096]
        time.sleep(0.02)
    time.sleep(2)
