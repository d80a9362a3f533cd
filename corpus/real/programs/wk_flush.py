"""A broker that flushes its log after each message: handlers append a message to a partition of their own and sync it, one after the other. A segment begins
anew after 16 MB. Arguments: the folder, the handlers."""
import os
import sys
import threading

with open("/proc/self/comm", "w") as name:
    name.write("kafka-handler")
os.makedirs(sys.argv[1], exist_ok=True)


def handle(number):
    segment, at, message = os.open(f"{sys.argv[1]}/clicks-{number}.log", os.O_CREAT | os.O_WRONLY), 0, os.urandom(700)
    while True:
        at += os.pwrite(segment, message, at % (16 << 20))
        os.fsync(segment)


for number in range(int(sys.argv[2])):
    threading.Thread(target=handle, args=(number,)).start()
