"""The merge of a sort of alignments: a thread for each temporary file reads it in blocks of 32 KB, and all of them at the same time. Prints nothing.
Arguments: the temporary files."""
import os
import sys
import threading

with open("/proc/self/comm", "w") as name:
    name.write("samtools")


def read(path):
    file, at = os.open(path, os.O_RDONLY), 0
    os.posix_fadvise(file, 0, 0, os.POSIX_FADV_RANDOM)
    while block := os.pread(file, 32768, at):
        at += len(block)


for path in sys.argv[1:]:
    threading.Thread(target=read, args=(path,)).start()
