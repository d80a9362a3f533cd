"""A video recorder: cameras put segments into a cache of tmpfs, and a maintainer moves each to the disk, syncs it and deletes it from the cache. Arguments:
the cache, the folder of recordings, segments a second, KiB of one. Prints in each second the clock, the segments stored and the ms of a move."""
import collections
import os
import sys
import threading
import time

cache, store = sys.argv[1:3]
rate, size = int(sys.argv[3]), int(sys.argv[4]) * 1024
with open("/proc/self/comm", "w") as comm:
    comm.write("nvr.maintainer")
os.makedirs(cache, exist_ok=True)
os.makedirs(store, exist_ok=True)
waiting = collections.deque()
done, took, began = 0, 0.0, 0.0
video = os.urandom(size)


def cameras():
    number, due = 0, time.time()
    while True:
        path = f"{cache}/{number}.mp4"
        with open(path, "wb") as out:
            out.write(video)
        waiting.append(path)
        number, due = number + 1, due + 1 / rate
        time.sleep(max(0, due - time.time()))


def report():
    global done, took
    while True:
        time.sleep(1 - time.time() % 1)
        count, spent = done, took
        done, took = 0, 0.0
        waits = time.time() - began if began else 0
        print(int(time.time()) - 1, count, round((spent / count if count else waits) * 1000, 1), flush=True)


threading.Thread(target=cameras, daemon=True).start()
threading.Thread(target=report, daemon=True).start()
while True:
    if not waiting:
        time.sleep(0.02)
        continue
    path = waiting.popleft()
    began = time.time()
    with open(path, "rb") as segment, open(f"{store}/{os.path.basename(path)}", "wb") as out:
        out.write(segment.read())
        out.flush()
        os.fsync(out.fileno())
    os.unlink(path)
    took, done, began = took + time.time() - began, done + 1, 0.0
