"""The virus scanner inside a guest: four threads read the guest's disk in blocks of 64 KB, around the host's page cache. Argument: the disk."""
import mmap
import os
import sys
import threading

disk = os.open(sys.argv[1], os.O_RDONLY | os.O_DIRECT)


def scan(number):
    room, at = mmap.mmap(-1, 65536), 0
    while True:
        os.preadv(disk, [room], (number * 130 << 20) + at % 2000 * 65536)
        at += 1


for number in range(4):
    threading.Thread(target=scan, args=(number,)).start()
