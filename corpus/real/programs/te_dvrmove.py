"""A video recorder moves finished recordings to the disk of its library, and writes each with its index in front: it copies the files as fast as it can.
Arguments: the folder of the library, the recordings."""
import os
import sys

with open("/proc/self/comm", "w") as name:
    name.write("dvrmove")
os.makedirs(sys.argv[1], exist_ok=True)
for recording in sys.argv[2:]:
    with open(recording, "rb") as source, open(f"{sys.argv[1]}/{os.path.basename(recording)}.mp4", "wb") as film:
        film.write(b"moov" * 50000)
        while part := source.read(1 << 20):
            film.write(part)
