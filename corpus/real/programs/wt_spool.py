"""Ten times a second: makes eight files of new names in a spool and removes them; in its folder `old` once /tmp/go exists. Argument: the spool."""
import os
import sys

import g_steady

with open("/proc/self/comm", "w") as name:
    name.write("spoold")
spool, number = sys.argv[1], 0


def request():
    global number
    folder = "old" if os.path.exists("/tmp/go") else "new"
    for _ in range(8):
        number += 1
        path = f"{spool}/{folder}/m{number}"
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY))
        os.unlink(path)


g_steady.serve(request, 10)
