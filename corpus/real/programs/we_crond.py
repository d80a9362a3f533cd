"""A cron daemon whose job sorts a small list, twice a second. Prints in each second how many jobs ended, and the ms of one."""
import os
import subprocess
import threading
import time

with open("/proc/self/comm", "w") as comm:
    comm.write("crond")
text = os.urandom(90000).hex().encode()
lines = b"\n".join(text[at : at + 60] for at in range(0, len(text), 60))
times = []


def report():
    now, seen = int(time.time()), 0
    while True:
        time.sleep(max(0, now + 1 - time.time()))
        fresh = times[seen:]
        seen += len(fresh)
        print(now, len(fresh), *([round(sum(fresh) / len(fresh), 1)] if fresh else []), flush=True)
        now += 1


threading.Thread(target=report, daemon=True).start()
due = time.time()
while True:
    began = time.time()
    subprocess.run(["sort", "-S", "1M"], input=lines, stdout=subprocess.DEVNULL)
    times.append((time.time() - began) * 1000)
    due = max(due + 0.5, time.time() - 0.5)
    time.sleep(max(0, due - time.time()))
