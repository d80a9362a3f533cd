"""A message broker: appends 256 KiB of messages to a log 12 times a second, without a sync. When /tmp/rejoin exists, threads of it fetch what it missed of other
partitions and append it as fast as they can. Arguments: folder, threads. Prints each second CLOCK, appends, ms of one."""
import os
import sys
import threading

import sa_pages

sa_pages.named("kafka-broker")
folder, threads = sys.argv[1], int(sys.argv[2])
os.makedirs(folder, exist_ok=True)
log = os.open(f"{folder}/orders-0.log", os.O_CREAT | os.O_WRONLY | os.O_APPEND)
batch, missed = b"m" * 262144, b"r" * 1048576
fetchers = []


def fetch(number):
    replica = os.open(f"{folder}/events-{number}.log", os.O_CREAT | os.O_WRONLY | os.O_APPEND)
    while True:
        os.write(replica, missed)


def append():
    if not fetchers and os.path.exists("/tmp/rejoin"):
        for number in range(threads):
            fetchers.append(threading.Thread(target=fetch, args=(number,), daemon=True))
            fetchers[-1].start()
    os.write(log, batch)


sa_pages.serve(append, 12)
