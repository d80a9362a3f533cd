"""A game server generates its map ahead of the players, with sync-chunk-writes: its threads append chunks of 8 KB to region files of /data, each of them
synced by the write (O_DSYNC). Argument: the threads."""
import os
import sys
import threading

with open("/proc/self/comm", "w") as name:
    name.write("chunkgen")
os.makedirs("/data/region", exist_ok=True)


def generate(number):
    file = os.open(f"/data/region/r.{number}.mca", os.O_CREAT | os.O_WRONLY | os.O_APPEND | os.O_DSYNC)
    while True:
        os.write(file, os.urandom(8192))


for number in range(1, int(sys.argv[1])):
    threading.Thread(target=generate, args=(number,), daemon=True).start()
generate(0)
