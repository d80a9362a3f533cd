"""A manager of a swarm writes down each state of tasks that fail at once and are started again: five threads append records to the raft log, the stores of tasks,
containers, networks and snapshots, each in a file of its own, and sync after each record. Argument: the folder."""
import os
import sys
import threading

with open("/proc/self/comm", "w") as name:
    name.write("dockerd")
os.makedirs(sys.argv[1], exist_ok=True)


def store(part):
    file = os.open(f"{sys.argv[1]}/{part}", os.O_CREAT | os.O_WRONLY | os.O_APPEND)
    while True:
        os.write(file, b"t" * 4000)
        os.fsync(file)


for part in ("tasks.db", "containers", "networks.db", "snapshots.db"):
    threading.Thread(target=store, args=(part,), daemon=True).start()
store("raft.wal")
