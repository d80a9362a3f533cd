"""Extracts the words of files, over and over, in as many processes as asked for. Arguments: the processes, the file."""
import os
import sys

with open("/proc/self/comm", "w") as comm:
    comm.write("tracker-extract")
for _ in range(int(sys.argv[1]) - 1):
    if not os.fork():
        break
with open(sys.argv[2], errors="replace") as file:
    text = file.read(400000)
while True:
    words = {}
    for word in text.split():
        words[word.lower()] = words.get(word.lower(), 0) + 1
