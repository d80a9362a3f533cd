"""A game server whose players walk into land that nobody visited: each chunk is 8 KiB at another place of a large world file and is read once. Arguments: the
world file, chunks a second. Prints in each second the clock, the chunks and the ms of one."""
import os
import random
import sys
import threading
import time

rate = int(sys.argv[2])
with open("/proc/self/comm", "w") as comm:
    comm.write("minetest")
world = os.open(sys.argv[1], os.O_RDONLY)
os.posix_fadvise(world, 0, 0, os.POSIX_FADV_RANDOM)
chunks = random.sample(range(os.fstat(world).st_size // 8192), 20000)

done, took, began = 0, 0.0, 0.0


def report():
    global done, took
    while True:
        time.sleep(1 - time.time() % 1)
        count, spent = done, took
        done, took = 0, 0.0
        waits = time.time() - began if began else 0
        print(int(time.time()) - 1, count, round((spent / count if count else waits) * 1000, 1), flush=True)


threading.Thread(target=report, daemon=True).start()
due = time.time()
while True:
    began = time.time()
    os.pread(world, 8192, chunks.pop() * 8192)
    took, done, began = took + time.time() - began, done + 1, 0.0
    due = max(due + 1 / rate, time.time() - 0.2)
    time.sleep(max(0, due - time.time()))
