"""Unpacks the update of a game: four threads write the pieces of four archives of 70 MB, as fast as they can, and sync nothing."""
import os
import threading

with open("/proc/self/comm", "w") as comm:
    comm.write("steam")
piece = os.urandom(1 << 20)


def unpack(number):
    file = os.open(f"/data/game{number}.vpk", os.O_CREAT | os.O_WRONLY)
    while True:
        for at in range(70):
            os.pwrite(file, piece, at << 20)


for number in range(4):
    threading.Thread(target=unpack, args=(number,)).start()
