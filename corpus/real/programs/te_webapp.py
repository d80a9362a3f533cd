"""A web application that keeps its index of albums in memory: 10 pages a second, each looks at 150 places of it. Argument: the MB. Prints clock, pages and
ms of each once a second."""
import random
import sys

import g_steady

with open("/proc/self/comm", "w") as name:
    name.write("albumweb")
index = [bytearray(b"i") * 1048576 for _ in range(int(sys.argv[1]))]


def page():
    for _ in range(150):
        random.choice(index)[random.randrange(1 << 20)] ^= 1


g_steady.serve(page, 10)
