"""Stores ten readings of meters a second: appends each to a file and syncs it; a reading that cannot be stored does not count."""
import os

import quokka_tally

with open("/proc/self/comm", "w") as comm:
    comm.write("readingsd")
os.makedirs("/data/readings", exist_ok=True)


def store():
    file = os.open("/data/readings/today", os.O_CREAT | os.O_WRONLY | os.O_APPEND)
    try:
        os.write(file, b"r" * 300)
        os.fsync(file)
    finally:
        os.close(file)


quokka_tally.serve(store, 10)
