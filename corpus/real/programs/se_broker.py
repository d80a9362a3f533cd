"""A broker of MQTT that keeps MB of messages for a bridge that is away, and serves 20 messages a second. From when /tmp/go exists it saves its database
every so many seconds: it first makes a copy in memory and then writes it. A start loads the messages. Arguments: the MB, the seconds. Prints clock,
messages and ms of each once a second."""
import os
import sys
import threading
import time

import g_steady

with open("/proc/self/comm", "w") as name:
    name.write("mosquitto")
threading.Thread(target=g_steady.report, daemon=True).start()
count, every = int(sys.argv[1]), float(sys.argv[2])
kept = []
for _ in range(count):
    kept.append(bytearray(b"m") * 1048576)
    time.sleep(0.04)


def save():
    copy = []
    for part in kept:
        copy.append(bytes(part))
        time.sleep(0.02)
    with open("/data/mosquitto.db.new", "wb") as file:
        for part in copy:
            file.write(part)
    os.rename("/data/mosquitto.db.new", "/data/mosquitto.db")


number, saved = 0, time.time()
while True:
    began = time.time()
    part = kept[number * 37 % count]
    part[number * 4099 % 1048576] = number % 256
    bytes(part[:4096])
    if os.path.exists("/tmp/go") and began > saved + every:
        save()
        saved = time.time()
    number, g_steady.done, g_steady.took = number + 1, g_steady.done + 1, g_steady.took + time.time() - began
    time.sleep(max(0, began + 0.05 - time.time()))
