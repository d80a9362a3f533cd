"""The second pipeline of a node's logs, which looks requests up in them: nine chunks of 32 KiB for each, in any of the files. Prints in each second
clock, requests and ms. Arguments: the folder of the logs, requests a second."""
import os
import random
import sys

import g_steady

logs = [os.open(os.path.join(sys.argv[1], name), os.O_RDONLY) for name in os.listdir(sys.argv[1])]
for log in logs:
    while os.read(log, 1 << 18):
        pass
    os.posix_fadvise(log, 0, 0, os.POSIX_FADV_RANDOM)


def correlate():
    for _ in range(9):
        os.pread(random.choice(logs), 32768, random.randrange(60) << 15)


g_steady.serve(correlate, float(sys.argv[2]))
