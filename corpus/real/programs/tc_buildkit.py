"""Builds an image: some workers copy layers of 16 MiB, one after the other, into the store, unsynced, and begin again over the oldest after 24. Prints
nothing. Arguments: the file to copy from, the folder, the workers, the seconds."""
import os
import sys
import threading
import time

source, folder, workers, seconds = sys.argv[1:5]
with open("/proc/self/comm", "w") as name:
    name.write("buildkitd")
os.makedirs(folder, exist_ok=True)
end = time.time() + float(seconds)


def build(number):
    layer = 0
    with open(source, "rb") as context:
        while time.time() < end:
            with open(f"{folder}/{number}-{layer % 24}", "wb") as out:
                for _ in range(16):
                    piece = context.read(1 << 20)
                    if len(piece) < 1 << 20:
                        context.seek(0)
                    out.write(piece)
            layer += 1


for number in range(int(workers)):
    threading.Thread(target=build, args=(number,)).start()
