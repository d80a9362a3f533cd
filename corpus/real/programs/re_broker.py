"""A message broker with one thread: it takes messages into memory, and from when /tmp/go exists it saves all of them to a new file, syncs it, renames it, and
begins again some seconds later. Arguments: the folder, MiB of messages, messages a second, seconds between two saves. Prints in each second the clock,
the messages taken and the ms of one."""
import os
import sys
import threading
import time

folder, size, rate, pause = sys.argv[1], *(int(value) for value in sys.argv[2:5])
with open("/proc/self/comm", "w") as comm:
    comm.write("mosquitto")
os.makedirs(folder, exist_ok=True)
queued = os.urandom(65536) * 16 * size
kept, saved = {}, 0.0

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
    if os.path.exists("/tmp/go") and began > saved + pause:
        with open(f"{folder}/mosquitto.db.new", "wb") as out:
            for at in range(0, len(queued), 65536):
                out.write(queued[at : at + 65536])
            out.flush()
            os.fsync(out.fileno())
        os.rename(f"{folder}/mosquitto.db.new", f"{folder}/mosquitto.db")
        saved = time.time()
    kept[done % 1000] = os.urandom(256)
    took, done, began = took + time.time() - began, done + 1, 0.0
    due = max(due + 1 / rate, time.time() - 0.2)
    time.sleep(max(0, due - time.time()))
