"""A game server on a disk: five times a second its main thread saves the data of a player, 2 KB, and syncs them. From when the file GO exists, three IO workers
save chunks of 8 KB into region files and sync after each. Arguments: the folder, the file GO. Prints in each second clock, saves of players and ms of each."""
import os
import random
import sys
import threading
import time

import g_steady

with open("/proc/self/comm", "w") as name:
    name.write("paper")
folder, go = sys.argv[1], sys.argv[2]
os.makedirs(folder, exist_ok=True)
players = os.open(f"{folder}/player.dat", os.O_CREAT | os.O_WRONLY)


def worker(number):
    region = os.open(f"{folder}/r.{number}.mca", os.O_CREAT | os.O_WRONLY)
    os.ftruncate(region, 16 << 20)
    while not os.path.exists(go):
        time.sleep(0.2)
    while True:
        os.pwrite(region, random.randbytes(8192), random.randrange(2048) * 8192)
        os.fsync(region)


def save():
    os.pwrite(players, random.randbytes(2048), 0)
    os.fsync(players)


for number in range(3):
    threading.Thread(target=worker, args=(number,), daemon=True).start()
g_steady.serve(save, 5)
