"""A broker appends 20 batches of 50 kB a second to a topic, whose last 100 MB are cached, and delivers each to eight consumers at its tail."""
import os
import threading
import time

open("/proc/self/comm", "w").write("kafka-broker")
path = "/data/topic.log"
with open(path, "wb") as file:
    for _ in range(100):
        file.write(os.urandom(1 << 20))
    file.flush()
    os.fsync(file.fileno())
log = os.open(path, os.O_WRONLY | os.O_APPEND)
tails = [os.open(path, os.O_RDONLY) for _ in range(8)]
for tail in tails:
    os.lseek(tail, 0, os.SEEK_END)
batch = os.urandom(50000)
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
    began = time.time()
    os.write(log, batch)
    for tail in tails:
        os.read(tail, 65536)
    took += time.time() - began
    done += 1
    due = max(due + 0.05, time.time() - 0.2)
    time.sleep(max(0, due - time.time()))
