"""A journal in a mapped file, which is synced after each entry, as all of them are of priority `crit`. Argument: the journal."""
import mmap
import os
import sys

SIZE = 8 << 20
file, at, count = os.open(sys.argv[1], os.O_CREAT | os.O_RDWR), 4096, 0
os.posix_fallocate(file, 0, SIZE)
pages = mmap.mmap(file, SIZE)
entry = b"PRIORITY=2\nMESSAGE=temperature above threshold, cpu clock throttled\n".ljust(512)
while True:
    pages[at : at + 512] = entry
    count += 1
    pages[:8] = count.to_bytes(8, "little")
    # So that programs that follow the journal notice.
    os.ftruncate(file, SIZE)
    os.fsync(file)
    at = at + 512 if at + 1024 <= SIZE else 4096
