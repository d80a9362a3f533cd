"""Watches a tree of sources: adds a watch to each folder, looks at each file once, remembers its size and time, and then waits. Argument: the tree."""
import ctypes
import os
import sys
import time

with open("/proc/self/comm", "w") as comm:
    comm.write("watchman")
libc, known = ctypes.CDLL(None), {}
queue = libc.inotify_init()
for folder, _, files in os.walk(sys.argv[1]):
    libc.inotify_add_watch(queue, folder.encode(), 0x3C6)
    for name in files:
        seen = os.stat(f"{folder}/{name}")
        known[f"{folder}/{name}"] = seen.st_size, seen.st_mtime_ns
time.sleep(10000)
