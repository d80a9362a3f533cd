"""Rebuilds the index of manual pages after an upgrade of packages: processes decompress pages and look for names in them. Arguments: the processes; the
seconds. Prints nothing."""
import os
import re
import sys
import time
import zlib

with open("/proc/self/comm", "w") as comm:
    comm.write("mandb")
until = time.time() + float(sys.argv[2])
page = zlib.compress(b"".join(b".SH NAME\nprogram%d \\- does thing number %d\n.PP\nSome words of text.\n" % (n, n * n) for n in range(900)))
name = re.compile(rb"^(\S+) \\- (.*)$", re.M)
for _ in range(int(sys.argv[1]) - 1):
    if os.fork() == 0:
        break
while time.time() < until:
    found = {}
    for match in name.finditer(zlib.decompress(page)):
        found[match[1]] = match[2]
