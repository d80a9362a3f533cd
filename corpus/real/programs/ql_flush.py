"""A search node finds all its shards inactive at once and flushes them, some at a time: for each shard it writes and syncs a segment, a commit point
and a new generation of the translog, and syncs the folder. Arguments: the folder, the shards, the threads."""
import os
import sys
import threading

with open("/proc/self/comm", "w") as comm:
    comm.write("flush")
folder, shards, threads = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
waiting = list(range(shards))


def write(path, size):
    file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.write(file, os.urandom(size))
    os.fsync(file)
    os.close(file)


def flush():
    while waiting:
        shard = f"{folder}/{waiting.pop()}"
        os.makedirs(shard, exist_ok=True)
        write(shard + "/_a.cfs", 24000)
        write(shard + "/pending_segments_b", 400)
        os.rename(shard + "/pending_segments_b", shard + "/segments_b")
        place = os.open(shard, os.O_RDONLY)
        os.fsync(place)
        os.close(place)
        write(shard + "/translog-8.tlog", 60)
        write(shard + "/translog.ckp", 90)


for _ in range(threads):
    threading.Thread(target=flush).start()
