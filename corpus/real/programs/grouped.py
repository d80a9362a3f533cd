"""Takes 60 messages a second into a log; commits 30 at once, and each on its own when /tmp/go exists. Argument: the log."""
import os
import sys

import pace

file, waiting = os.open(sys.argv[1], os.O_CREAT | os.O_WRONLY | os.O_APPEND), 0


def message():
    global waiting
    os.write(file, b"m" * 300)
    waiting += 1
    if waiting >= (1 if os.path.exists("/tmp/go") else 30):
        os.fsync(file)
        waiting = 0


pace.serve(message, interval=1 / 60, behind=1)
