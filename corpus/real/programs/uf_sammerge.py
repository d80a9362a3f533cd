"""The last step of a sort of alignments: a reader thread for each temporary file reads it from front to back in blocks of 32 KB, and again from the front
after the end. Prints nothing. Arguments: threads, the files (thread n begins at its own part of file n modulo their number)."""
import os
import sys
import threading

with open("/proc/self/comm", "w") as name:
    name.write("samtools")
threads, paths = int(sys.argv[1]), sys.argv[2:]


def reader(number):
    file = os.open(paths[number % len(paths)], os.O_RDONLY)
    size = os.fstat(file).st_size
    at = size * number // threads
    while True:
        got = len(os.pread(file, 32768, at))
        at = at + got if got else 0


for number in range(threads):
    threading.Thread(target=reader, args=(number,)).start()
