"""Takes 20 mails a second: writes each to a new file of 4 KB of a folder, and removes it two seconds later; one that cannot be written is refused. Argument: the folder."""
import os
import sys
import time

with open("/proc/self/comm", "w") as name:
    name.write("mxin")
queued, count, done, took, now, due = [], 0, 0, 0.0, int(time.time()), time.time()
while True:
    began, count = time.time(), count + 1
    try:
        path = f"{sys.argv[1]}/{count}"
        with open(path, "wb") as file:
            file.write(b"t" * 4096)
        queued.append((began, path))
        done, took = done + 1, took + time.time() - began
    except OSError:
        pass
    while queued and queued[0][0] < began - 2:
        os.remove(queued.pop(0)[1])
    due = max(due + 0.05, time.time() - 0.05)
    time.sleep(max(0, due - time.time()))
    if int(time.time()) != now:
        print(now, done, *([round(took / done * 1000, 1)] if done else []), flush=True)
        done, took, now = 0, 0.0, int(time.time())
