"""Serves 20 pictures of 16 KB a second from a share, uncached. Argument: the file."""
import mmap
import os
import random
import sys

import g_steady

file, room = os.open(sys.argv[1], os.O_RDONLY | os.O_DIRECT), mmap.mmap(-1, 16384)
g_steady.serve(lambda: os.preadv(file, [room], random.randrange(12000) * 16384), 20)
