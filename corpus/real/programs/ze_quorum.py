"""The members of quorum queues on a broker: each entry of a queue's raft log is appended to the write-ahead log and synced before it is confirmed, by one
thread for each queue, as fast as the disk allows; a log begins anew after 32 MB. Arguments: the folder, the queues."""
import os
import sys
import threading

with open("/proc/self/comm", "w") as name:
    name.write("ra-wal")
os.makedirs(sys.argv[1], exist_ok=True)


def queue(number):
    log, at, entry = os.open(f"{sys.argv[1]}/{number:08d}.wal", os.O_CREAT | os.O_WRONLY), 0, os.urandom(1200)
    while True:
        os.pwrite(log, entry, at)
        os.fdatasync(log)
        at = (at + len(entry)) % (32 << 20)


for number in range(int(sys.argv[2])):
    threading.Thread(target=queue, args=(number,)).start()
