"""A web mail that reads attachments: 20 pieces of 16 KB a second, at random in a file of 550 MB, through the page cache without readahead."""
import os
import random

import pace

file = os.open("/data/lite.db", os.O_RDONLY)
os.posix_fadvise(file, 0, 0, os.POSIX_FADV_RANDOM)
pace.serve(lambda: os.pread(file, 16384, random.randrange(550 * 64) * 16384))
