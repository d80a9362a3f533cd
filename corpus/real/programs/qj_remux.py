"""ffmpeg puts a film into segments of 6 MB for one viewer, and nothing makes it wait for the viewer: it writes as fast as it may. Arguments: the film, the
folder of the segments."""
import os
import sys

with open("/proc/self/comm", "w") as comm:
    comm.write("ffmpeg")
os.makedirs(sys.argv[2], exist_ok=True)
number = 0
with open(sys.argv[1], "rb", 0) as film:
    while part := film.read(6 << 20):
        with open(f"{sys.argv[2]}/{number}.m4s", "wb", 0) as segment:
            for at in range(0, len(part), 65536):
                segment.write(part[at : at + 65536])
        number += 1
