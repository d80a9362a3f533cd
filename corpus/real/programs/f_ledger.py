"""Books 8 payments a second: appends 8 KB to a ledger and syncs them."""
import os

import pace

file = os.open("/data/ledger", os.O_CREAT | os.O_WRONLY | os.O_APPEND)
entry = os.urandom(8192)


def book():
    os.write(file, entry)
    os.fdatasync(file)


pace.serve(book, interval=1 / 8)
