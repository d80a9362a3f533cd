"""A search server that takes 20 documents a second into its log, and commits every 100. When /tmp/go exists the client asks for a commit with each document:
the files of a small segment, and the folder, are synced. Argument: the folder."""
import itertools
import os
import sys

import pace

with open("/proc/self/comm", "w") as name:
    name.write("solr")
home, numbers, document = sys.argv[1], itertools.count(), os.urandom(1500)
os.makedirs(home, exist_ok=True)
log = os.open(f"{home}/tlog", os.O_CREAT | os.O_WRONLY | os.O_APPEND)


def commit(number):
    for part in ("fdt", "tim", "doc", "si"):
        file = os.open(f"{home}/_{number}.{part}", os.O_CREAT | os.O_WRONLY)
        os.write(file, document)
        os.fsync(file)
        os.close(file)
        if os.path.exists(old := f"{home}/_{number - 300}.{part}"):
            os.unlink(old)
    folder = os.open(home, os.O_RDONLY)
    os.fsync(folder)
    os.close(folder)


def add():
    number = next(numbers)
    os.write(log, document)
    if number % 100 == 0 or os.path.exists("/tmp/go"):
        commit(number)


pace.serve(add)
