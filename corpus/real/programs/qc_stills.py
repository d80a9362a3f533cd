"""Takes four stills of each film, with the option to seek after the input: for each still it decodes the film from its beginning up to that place. Again and
again. Arguments: the films."""
import os
import sys

with open("/proc/self/comm", "w") as comm:
    comm.write("stills")
while True:
    for name in sys.argv[1:]:
        film = os.open(name, os.O_RDONLY)
        size = os.fstat(film).st_size >> 20
        for still in range(1, 5):
            for at in range(size * still // 5):
                os.pread(film, 1 << 20, at << 20)
        os.close(film)
