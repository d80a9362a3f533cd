"""Arguments: `serve`: an application of a user with 50 MB of tables, 10 requests a second, each of which takes 3 MB for its result and gives them
back; or `fit`: a session that takes 15 MB more each second, up to 280 MB."""
import mmap
import sys
import time

import pace

with open("/proc/self/comm", "w") as name:
    name.write("shiny" if sys.argv[1] == "serve" else "rsession")
tables = []


def request():
    # As a large allocation of R: mapped, and given back to the kernel.
    result = mmap.mmap(-1, 3 << 20)
    result[::4096] = b"s" * 768
    result.close()


if sys.argv[1] == "serve":
    tables.extend(bytearray(b"t") * (1 << 20) for _ in range(50))
    pace.serve(request, interval=0.1)
while True:
    if len(tables) < 280:
        tables.append(bytearray(b"f") * (1 << 20))
    time.sleep(1 / 15)
