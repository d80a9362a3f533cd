"""Mail filters that spool: some threads append copies of 16 KiB to files of their own, through the page cache. Arguments: folder, threads."""
import os
import sys
import threading

folder, threads = sys.argv[1], int(sys.argv[2])
os.makedirs(folder, exist_ok=True)
with open("/proc/self/comm", "w") as comm:
    comm.write("spoolerd")


def spool(number):
    file = os.open(f"{folder}/{number}", os.O_CREAT | os.O_WRONLY)
    copy = os.urandom(16384)
    written = 0
    while True:
        os.pwrite(file, copy, written)
        written = (written + len(copy)) % (400 << 20)


for number in range(threads):
    threading.Thread(target=spool, args=(number,)).start()
