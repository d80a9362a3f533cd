"""Idle tabs of a browser, each of 10 MB. Once the file /tmp/go is there, the browser's memory saver pushes one tab a second into swap, until all are out.
Argument: the number of tabs."""
import mmap
import os
import sys
import time

PAGEOUT = 21
with open("/proc/self/comm", "w") as comm:
    comm.write("firefox-bin")
tabs = []
for _ in range(int(sys.argv[1])):
    tab = mmap.mmap(-1, 10 << 20, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    for at in range(0, 10 << 20, 4096):
        tab[at : at + 4096] = os.urandom(1200) + bytes(2896)
    tabs.append(tab)
while not os.path.exists("/tmp/go"):
    time.sleep(0.5)
for tab in tabs:
    tab.madvise(PAGEOUT)
    time.sleep(1)
time.sleep(10000)
