"""A list manager splits a posting into one message for each member (VERP): eight threads write a queue file each, sync it, and rename it into the
queue. Argument: the folder."""
import os
import sys
import threading

with open("/proc/self/comm", "w") as name:
    name.write("listmanager")
folder = sys.argv[1]
os.makedirs(folder, exist_ok=True)


def split(lane):
    number = 0
    while True:
        file = os.open(f"{folder}/new{lane}", os.O_CREAT | os.O_WRONLY | os.O_TRUNC)
        os.write(file, b"Return-Path: <list-bounces+member@example.org>\n" * 80)
        os.fsync(file)
        os.close(file)
        os.rename(f"{folder}/new{lane}", f"{folder}/{lane}-{number % 500}")
        number += 1


for lane in range(7):
    threading.Thread(target=split, args=(lane,), daemon=True).start()
split(7)
