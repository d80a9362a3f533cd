"""A sink that writes 24 blocks of 128 KB a second to files, without a sync; after 64 MB it begins another file and keeps the last three. Argument: the
directory. Prints clock, blocks and ms of one."""
import os
import sys

import pace

os.makedirs(sys.argv[1], exist_ok=True)
block, number, file = os.urandom(1 << 17), 0, None


def write():
    global number, file
    if number % 512 == 0:
        if file is not None:
            os.close(file)
        old = f"{sys.argv[1]}/part-{number // 512 - 3}.parquet"
        if os.path.exists(old):
            os.remove(old)
        file = os.open(f"{sys.argv[1]}/part-{number // 512}.parquet", os.O_CREAT | os.O_WRONLY)
    os.write(file, block)
    number += 1


pace.serve(write, interval=1 / 24)
