"""An allocator that takes new addresses for each burst and gives the pages of the last one back (MADV_DONTNEED): what it uses stays small,
and the page tables of the old addresses stay. Arguments: MiB of page tables, MiB/s."""
import mmap
import sys
import time

size, rate = (int(value) for value in sys.argv[1:])
# One page of page tables is for 2 MB of addresses; 64 of them in a burst.
SPAN, BURST = 2 << 20, 64
NORESERVE = 0x4000
arena = mmap.mmap(-1, size * 256 * SPAN, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | NORESERVE)
arena.madvise(15)
for burst in range(size * 4):
    at = burst * BURST * SPAN
    arena[at : at + BURST * SPAN : SPAN] = b"x" * BURST
    arena.madvise(mmap.MADV_DONTNEED, at, BURST * SPAN)
    time.sleep(0.25 / rate)
time.sleep(10000)
