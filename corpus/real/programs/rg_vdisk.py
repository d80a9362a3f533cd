"""Desktops of a virtualization host whose disk images are opened with cache=directsync: a thread for each writes 16 KB at random places of its image,
each through to the disk, and pauses 2 ms. Arguments: the images."""
import os
import random
import sys
import threading
import time

block = os.urandom(16384)


def desktop(name):
    image = os.open(name, os.O_WRONLY | os.O_DSYNC)
    slots = os.fstat(image).st_size // 16384
    while True:
        os.pwrite(image, block, random.randrange(slots) * 16384)
        time.sleep(0.002)


with open("/proc/self/comm", "w") as comm:
    comm.write("qemu-system-x86")
for name in sys.argv[1:]:
    threading.Thread(target=desktop, args=(name,)).start()
