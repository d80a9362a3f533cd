"""Opens every small file of a tree, as a key-value store with max_open_files = -1 opens its tables, and keeps them open. Argument: the tree."""
import os
import resource
import sys
import time

with open("/proc/self/comm", "w") as comm:
    comm.write("tablestore")
resource.setrlimit(resource.RLIMIT_NOFILE, (200000, 200000))
held = [os.open(f"{folder}/{name}", os.O_RDONLY) for folder, _, names in os.walk(sys.argv[1]) for name in names]
time.sleep(1e6)
