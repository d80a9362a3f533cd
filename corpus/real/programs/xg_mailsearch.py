"""Searches the text of an archive of mail without an index: each search reads the archive from its first message to its last, up to 24 MB a second in pieces of
128 KB, and the next one begins again. The archive has so many MB, which were read before, and from when /tmp/go exists so many. Arguments: both."""
import os
import sys

import pace

with open("/proc/self/comm", "w") as name:
    name.write("mailsearch")
before, later = (int(value) * 8 for value in sys.argv[1:])
archive, at = os.open("/data/map/data.mdb", os.O_RDONLY), 0
for piece in range(before):
    os.pread(archive, 1 << 17, piece << 17)


def search():
    global at
    os.pread(archive, 1 << 17, at << 17).find(b"invoice 4711")
    at = (at + 1) % (later if os.path.exists("/tmp/go") else before)


pace.serve(search, batch=8, interval=1 / 24)
