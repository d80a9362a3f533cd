"""Makes time-lapse films of cameras: for each camera a thread fetches one key frame after another, far apart in the footage, past the cache.
Arguments: the footage, MB of it, cameras."""
import mmap
import os
import random
import sys
import threading

FRAME = 16384


def camera(seed):
    choose = random.Random(seed)
    footage = os.open(sys.argv[1], os.O_RDONLY | os.O_DIRECT)
    frame = mmap.mmap(-1, FRAME)
    while True:
        os.preadv(footage, [frame], choose.randrange(int(sys.argv[2]) * 64) * FRAME)


for number in range(int(sys.argv[3])):
    threading.Thread(target=camera, args=(number,)).start()
