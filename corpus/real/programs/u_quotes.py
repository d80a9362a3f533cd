"""Makes offers, so many a second, each by formatting lines for so many ms of a CPU. Arguments: offers a second, ms."""
import sys
import time

import pace

with open("/proc/self/comm", "w") as name:
    name.write("quoted")


def lines(count):
    return "".join("%06d %9.2f EUR\n" % (n, n * 1.19) for n in range(count))


began, count = time.process_time(), 0
while time.process_time() - began < 0.5:
    lines(100)
    count += 100
each = int(count / 0.5 * float(sys.argv[2]) / 1000)
pace.serve(lambda: lines(each), interval=1 / float(sys.argv[1]))
