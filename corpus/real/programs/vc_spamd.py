"""A filter of spam rates 20 messages a second: for each it looks at 40 places of its table of tokens. Argument: MiB of the table."""
import random
import sys

import pace

with open("/proc/self/comm", "w") as comm:
    comm.write("rspamd")
table = [bytearray(b"t") * 1048576 for _ in range(int(sys.argv[1]))]


def rate():
    for _ in range(40):
        table[random.randrange(len(table))][random.randrange(1048576)] = 7


pace.serve(rate)
