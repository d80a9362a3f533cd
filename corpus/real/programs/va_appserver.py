"""An application server: 12 requests a second, each of which joins and splits a page for so many ms of a CPU. Argument: the ms."""
import sys
import time

import g_steady

with open("/proc/self/comm", "w") as name:
    name.write("appserver")


def page(count):
    for n in range(count):
        "<td>".join(str(n + k) for k in range(20)).split("<")


began, count = time.process_time(), 0
while time.process_time() - began < 0.5:
    page(20)
    count += 20
each = int(count / 0.5 * float(sys.argv[1]) / 1000)
g_steady.serve(lambda: page(each), 12)
