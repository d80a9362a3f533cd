"""A ledger: 8 postings a second, each is appended and synced."""
import os

import g_steady

file = os.open("/data/ledger", os.O_CREAT | os.O_WRONLY | os.O_APPEND)


def post():
    os.write(file, b"p" * 700)
    os.fdatasync(file)


g_steady.serve(post, 8)
