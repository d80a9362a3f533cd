"""A block-level backup agent looks for changed blocks: threads read a whole disk with direct IO, each its part, 64 KiB at a time. Arguments: disk, threads."""
import mmap
import os
import sys
import threading

with open("/proc/self/comm", "w") as comm:
    comm.write("cdp-agent")
disk = os.open(sys.argv[1], os.O_RDONLY | os.O_DIRECT)
threads = int(sys.argv[2])
part = os.lseek(disk, 0, os.SEEK_END) // threads // 65536 * 65536


def scan(number):
    room = mmap.mmap(-1, 65536)
    for at in range(number * part, (number + 1) * part, 65536):
        os.preadv(disk, [room], at)


for number in range(threads):
    threading.Thread(target=scan, args=(number,)).start()
