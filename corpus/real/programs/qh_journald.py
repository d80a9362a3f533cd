"""A broker that confirms 30 messages a second, each when it is synced: ten with one sync, or from /tmp/go on each with a sync of its own."""
import os
import threading
import time

open("/proc/self/comm", "w").write("artemis")
file = os.open("/data/artemis.amq", os.O_CREAT | os.O_WRONLY | os.O_APPEND)
done, took = 0, 0.0


def report():
    global done, took
    while True:
        time.sleep(1 - time.time() % 1 + 0.01)
        count, ms, done, took = done, took, 0, 0.0
        print(int(time.time()) - 1, count, *([round(ms / count * 1000, 1)] if count else []), flush=True)


threading.Thread(target=report, daemon=True).start()
due = time.time()
while True:
    each = 1 if os.path.exists("/tmp/go") else 10
    began = time.time()
    os.write(file, b"m" * 1000 * each)
    os.fdatasync(file)
    took += (time.time() - began) * each
    done += each
    due = max(due + each / 30, time.time() - 0.5)
    time.sleep(max(0, due - time.time()))
