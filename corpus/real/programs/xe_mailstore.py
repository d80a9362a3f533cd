"""Serves mails to users: so many a second, each of some blocks of 8 KB at random, around the page cache. Arguments: mails a second, blocks."""
import mmap
import os
import random
import sys

import g_steady

rate, blocks = int(sys.argv[1]), int(sys.argv[2])
store, room = os.open("/data/lite.db", os.O_RDONLY | os.O_DIRECT), mmap.mmap(-1, 8192)


def mail():
    for _ in range(blocks):
        os.preadv(store, [room], random.randrange(400 << 7) << 13)


g_steady.serve(mail, rate)
