"""Checks units over the bus and forgets each connection: pairs of unix sockets that stay open, in two processes. Argument: pairs of each process.
No output."""
import _socket
import os
import resource
import sys
import time

with open("/proc/self/comm", "w") as name:
    name.write("unit-exporter")
try:
    resource.setrlimit(resource.RLIMIT_NOFILE, (1 << 20, 1 << 20))
except ValueError:
    # No privilege: the limit that there is.
    pass
os.fork()
files = []
while len(files) < 2 * int(sys.argv[1]):
    for _ in range(300):
        files += [end.detach() for end in _socket.socketpair()]
    time.sleep(0.1)
time.sleep(10000)
