"""Counts the words of a log on another disk, again and again. Argument: the MB/s."""
import sys
import time

with open("/proc/self/comm", "w") as comm:
    comm.write("wordcount")
while True:
    with open("/bulk/logs/app.log", "rb", 0) as file:
        while data := file.read(1 << 19):
            data.count(b"item")
            time.sleep(0.5 / float(sys.argv[1]))
