"""An agent for metrics makes an event loop for each scrape (an epoll and a pair of sockets to wake it) and never closes it, with two workers, until
only 40 MB of files are cached."""
import os
import resource
import select
import socket
import time

import room

with open("/proc/self/comm", "w") as comm:
    comm.write("metricsd")
resource.setrlimit(resource.RLIMIT_NOFILE, (1 << 20, 1 << 20))
os.fork()
loops = []
while True:
    if room.files() < 40:
        time.sleep(0.5)
        continue
    for _ in range(100):
        loop, pair = select.epoll(), socket.socketpair()
        loop.register(pair[0], select.EPOLLIN)
        loops.append((loop, pair))
