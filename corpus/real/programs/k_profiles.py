"""Profiles of users: 20 reads a second of 16 KB at random, among 500 MB that are mostly not cached."""
import os
import random

import g_steady

file = os.open("/data/map/data.mdb", os.O_RDONLY)
os.posix_fadvise(file, 0, 0, os.POSIX_FADV_RANDOM)
g_steady.serve(lambda: os.pread(file, 16384, random.randrange(32000) * 16384), 20)
