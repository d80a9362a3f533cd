"""A code search without an index: maps file after file, and looks for a word in each, for one query after the other. Arguments: the files."""
import mmap
import sys

open("/proc/self/comm", "w").write("codesearch")
for query in range(20):
    for name in sys.argv[1:]:
        with open(name, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as text:
            text.madvise(mmap.MADV_SEQUENTIAL)
            text.find(b"\0needle%d\0" % query)
