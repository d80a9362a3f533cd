"""A presence server sends updates to its phones, 2000 bytes each, and goes on for those that read nothing: what it sent waits in the kernel.
Arguments: phones that do not read, MB in all."""
import resource
import socket
import sys
import time

with open("/proc/self/comm", "w") as name:
    name.write("presenced")
resource.setrlimit(resource.RLIMIT_NOFILE, (4096, 4096))
phones = []
for _ in range(int(sys.argv[1])):
    pair = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
    # SO_SNDBUFFORCE
    pair[0].setsockopt(socket.SOL_SOCKET, 32, 64 << 20)
    pair[0].setblocking(False)
    phones.append(pair)
update, left = b"p" * 2000, int(sys.argv[2]) * 1000000 // 4352
while left > 0:
    for link, _ in phones:
        for _ in range(10):
            try:
                link.send(update)
            except BlockingIOError:
                break
            left -= 1
    time.sleep(0.01)
time.sleep(1000)
