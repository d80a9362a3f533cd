"""Clients index single documents into the shards of a search node, which syncs the translog before it answers: a thread for each shard appends a
document of 600 bytes, syncs, writes the checkpoint and syncs that too. Prints nothing. Arguments: the folder, the shards."""
import os
import sys
import threading

os.makedirs(sys.argv[1], exist_ok=True)
with open("/proc/self/comm", "w") as comm:
    comm.write("translog")


def index(shard):
    log = os.open(f"{sys.argv[1]}/translog-{shard}.tlog", os.O_CREAT | os.O_WRONLY | os.O_APPEND)
    checkpoint = os.open(f"{sys.argv[1]}/translog-{shard}.ckp", os.O_CREAT | os.O_WRONLY)
    while True:
        os.write(log, b"d" * 600)
        os.fsync(log)
        os.pwrite(checkpoint, b"c" * 80, 0)
        os.fsync(checkpoint)


threads = [threading.Thread(target=index, args=(shard,)) for shard in range(int(sys.argv[2]))]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
