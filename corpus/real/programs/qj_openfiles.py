"""The workers of nginx with open_file_cache max=200000 inactive=24h: a crawler asks for every small file of a site, and each of four workers keeps each
file that it sent open. Argument: the folder of the site."""
import os
import resource
import sys
import time

with open("/proc/self/comm", "w") as comm:
    comm.write("nginx")
resource.setrlimit(resource.RLIMIT_NOFILE, (400000, 400000))
for _ in range(3):
    if os.fork() == 0:
        break
kept = 0
for folder, _, names in os.walk(sys.argv[1]):
    for name in names:
        os.open(f"{folder}/{name}", os.O_RDONLY)
        kept += 1
        if kept % 50 == 0:
            time.sleep(0.004)
time.sleep(600)
