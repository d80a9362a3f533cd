"""The shards of a search node: each document goes to the translog of its shard and is synced before it is acknowledged, by one thread for each shard, as fast
as the disk allows; a translog begins anew after 64 MB. Arguments: the folder, the shards."""
import os
import sys
import threading

with open("/proc/self/comm", "w") as name:
    name.write("indexer")
os.makedirs(sys.argv[1], exist_ok=True)


def shard(number):
    log, at, document = os.open(f"{sys.argv[1]}/translog-{number}.tlog", os.O_CREAT | os.O_WRONLY), 0, os.urandom(1500)
    while True:
        os.pwrite(log, document, at)
        os.fsync(log)
        at = (at + len(document)) % (64 << 20)


for number in range(int(sys.argv[2])):
    threading.Thread(target=shard, args=(number,)).start()
