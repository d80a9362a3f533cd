"""Virtual clusters, each of which keeps its objects in a database of its own and syncs each write to it. `leases` renews 8 leases a second in one of
them, and prints in each second clock, renewals and ms; `events` writes the events of crashing pods to so many others, as fast as they take them.
Arguments: leases, events; the folder; the clusters."""
import os
import sys
import threading

with open("/proc/self/comm", "w") as name:
    name.write("vcluster")
os.makedirs(sys.argv[2], exist_ok=True)


def opened(cluster):
    return os.open(f"{sys.argv[2]}/{cluster}.db", os.O_CREAT | os.O_WRONLY | os.O_APPEND)


def commit(file, size):
    os.write(file, b"k" * size)
    os.fsync(file)


if sys.argv[1] == "leases":
    import g_steady

    own = opened("own")
    g_steady.serve(lambda: commit(own, 500), 8)


def events(file):
    while True:
        commit(file, 2500)


for cluster in range(int(sys.argv[3])):
    threading.Thread(target=events, args=(opened(cluster),)).start()
