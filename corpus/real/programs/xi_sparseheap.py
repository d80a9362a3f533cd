"""A recommender: ten requests a second, each reads 20 blocks at random of 110 MB of an index, which it has read before, and puts a session of 32 KB
into a new arena of its heap, 2 MB of addresses; the last 75 arenas are kept."""
import collections
import ctypes
import mmap

import g_steady
import h_hot

with open("/proc/self/comm", "w") as comm:
    comm.write("recommender")
HUGE = 2 << 20
index, arenas = h_hot.Hot("/data/lite.db", 110), collections.deque(maxlen=75)


def recommend():
    arena = mmap.mmap(-1, 2 * HUGE, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    # Aligned, as allocators do.
    at = -ctypes.addressof(ctypes.c_char.from_buffer(arena)) % HUGE
    for page in range(8):
        arena[at + page * 4096] = 1
    arenas.append(arena)
    index.read(20)


g_steady.serve(recommend, 10)
