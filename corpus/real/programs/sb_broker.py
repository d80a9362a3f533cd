"""A broker with 450 partitions and 8 threads for requests. Each thread appends 2 KB to the next partition 3 times a second, without a sync. When the
file /tmp/roll exists, the segment of each partition is old enough to be rolled: the thread that appends next to it writes and syncs a snapshot of its
producers, syncs the log and its index, and opens a new segment, before it answers. Prints in each second: clock, requests, ms of one.
Argument: the folder."""
import os
import sys
import threading
import time

import qs_query

qs_query.name("kafka-broker")
COUNT, HANDLERS, RATE = 450, 8, 3
folder = sys.argv[1]
batch, rolled, done = b"k" * 2048, [False] * COUNT, []


def segment(number, base):
    return [os.open(f"{folder}/{number}-{base}.{kind}", os.O_CREAT | os.O_WRONLY | os.O_APPEND) for kind in ("log", "index")]


def roll(number):
    snapshot = os.open(f"{folder}/{number}-1.snapshot", os.O_CREAT | os.O_WRONLY)
    os.write(snapshot, batch)
    os.fsync(snapshot)
    os.close(snapshot)
    os.write(partitions[number][1], b"last entry")
    for file in partitions[number]:
        os.fsync(file)
        os.close(file)
    partitions[number] = segment(number, 1)


partitions = [segment(number, 0) for number in range(COUNT)]
for log, index in partitions:
    os.write(log, batch)
    os.write(index, b"i" * 8)
os.sync()


def handle(handler):
    number, due = handler, time.time() + handler / HANDLERS / RATE
    while True:
        time.sleep(max(0, due - time.time()))
        began = time.time()
        if not rolled[number] and os.path.exists("/tmp/roll"):
            rolled[number] = True
            roll(number)
        log, _ = partitions[number]
        os.write(log, batch)
        done.append((time.time() - began) * 1000)
        number = number + HANDLERS if number + HANDLERS < COUNT else handler
        due = max(due + 1 / RATE, time.time() - 1 / RATE)


for handler in range(HANDLERS):
    threading.Thread(target=handle, args=(handler,), daemon=True).start()
now = int(time.time())
while True:
    time.sleep(max(0, now + 1 - time.time()))
    count = len(done)
    print(now, count, *([round(sum(done[:count]) / count, 1)] if count else []), flush=True)
    del done[:count]
    now = max(now + 1, int(time.time()))
