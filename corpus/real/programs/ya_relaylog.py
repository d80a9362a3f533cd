"""A replica with several sources. `serve` is the channel that counts: 16 events a second, of 128 KB, go to its relay log, which is not synced. `fetch` are the
channels, so many, whose sources were away for a day: each writes what it missed to its relay logs, as fast as the network gives it. Arguments: which, channels."""
import os
import sys
import threading

import g_steady

with open("/proc/self/comm", "w") as name:
    name.write("replicad" if sys.argv[1] == "serve" else "iothread")
event, at = os.urandom(131072), 0


def fetch(channel):
    log, piece, part = os.open(f"/data/relay-{channel}.log", os.O_CREAT | os.O_WRONLY), os.urandom(1 << 20), 0
    while True:
        os.pwrite(log, piece, part % 300 << 20)
        part += 1


def receive():
    global at
    os.pwrite(log, event, at % 800 * len(event))
    at += 1


if sys.argv[1] == "serve":
    log = os.open("/data/relay-main.log", os.O_CREAT | os.O_WRONLY)
    g_steady.serve(receive, 16)
else:
    for channel in range(int(sys.argv[2])):
        threading.Thread(target=fetch, args=(channel,)).start()
