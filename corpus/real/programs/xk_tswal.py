"""A database of time series takes 60 writes a second into its log. It syncs once for all that came within 100 ms; from when /tmp/go exists each write is synced
by itself. At most two seconds of writes wait. Prints in each second clock, writes and mean ms with the wait."""
import os
import time

with open("/proc/self/comm", "w") as name:
    name.write("tsdbd")
log = os.open("/data/tswal", os.O_CREAT | os.O_WRONLY | os.O_APPEND)
done, took = 0, 0.0
now, due = int(time.time()), time.time()
while True:
    due = max(due, time.time() - 2)
    if os.path.exists("/tmp/go"):
        time.sleep(max(0, due - time.time()))
        came = [due]
    else:
        time.sleep(0.1 - time.time() % 0.1)
        came = [due + one / 60 for one in range(max(0, int((time.time() - due) * 60)))]
    if came:
        os.write(log, b"w" * 400 * len(came))
        os.fsync(log)
    done, took, due = done + len(came), took + sum(time.time() - one for one in came), due + len(came) / 60
    if int(time.time()) != now:
        print(now, done, *([round(took / done * 1000, 1)] if done else []), flush=True)
        done, took, now = 0, 0.0, int(time.time())
