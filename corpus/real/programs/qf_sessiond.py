"""Holds MiB of sessions and looks at 30 of them ten times a second. Argument: MiB."""
import random
import sys

import g_steady

with open("/proc/self/comm", "w") as name:
    name.write("sessiond")
held = [bytearray(b"s") * 1048576 for _ in range(int(sys.argv[1]))]


def request():
    for _ in range(30):
        random.choice(held)[random.randrange(1048576)] = 1


g_steady.serve(request, 10)
