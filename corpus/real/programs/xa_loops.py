"""An API makes an event loop for each request and never closes it: an epoll and the pair of sockets that wakes it stay, 13 MB a second of the
kernel's slab, until so many MB. Argument: the MB."""
import resource
import select
import socket
import sys
import time

with open("/proc/self/comm", "w") as comm:
    comm.write("uvicorn")
resource.setrlimit(resource.RLIMIT_NOFILE, (400000, 400000))
loops = []


def slab():
    with open("/proc/meminfo") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("Slab:")) / 1024


def request():
    loop = select.epoll()
    one, other = socket.socketpair()
    loop.register(one.fileno(), select.EPOLLIN)
    one.detach(), other.detach()
    loops.append(loop)


began, base = time.time(), slab()
while True:
    while slab() - base < min(float(sys.argv[1]), (time.time() - began) * 13) and len(loops) < 100000:
        for _ in range(50):
            request()
    time.sleep(0.05)
