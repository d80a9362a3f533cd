"""Journals of a bookie: so many threads each append an entry to a journal of their own and force it to the disk at once, without a pause.
Arguments: folder, journals, bytes of an entry. Prints nothing."""
import os
import sys
import threading

import qs_query

qs_query.name("bookie")
entry = b"e" * int(sys.argv[3])
os.makedirs(sys.argv[1], exist_ok=True)


def journal(number):
    file = os.open(f"{sys.argv[1]}/{number}.txn", os.O_CREAT | os.O_WRONLY | os.O_APPEND)
    while True:
        os.write(file, entry)
        os.fsync(file)


for number in range(int(sys.argv[2])):
    threading.Thread(target=journal, args=(number,)).start()
