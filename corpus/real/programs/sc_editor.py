"""The editor of a workspace: completes ten times a second, from 40 places of an index of 60 MB. Prints in each second clock, completions and ms."""
import random

import g_steady

with open("/proc/self/comm", "w") as name:
    name.write("code-server")
index = bytearray(b"i") * (60 << 20)


def complete():
    for _ in range(40):
        index[random.randrange(len(index))] = 106


g_steady.serve(complete, 10)
