"""A proxy whose workers hold 40 MB of certificates and maps. As soon as /tmp/endpoints exists, a new worker is started every four seconds, eight in
all; the old ones stay, because of their long connections. A request takes buffers of 1 MB and gives them back."""
import mmap
import os
import socket
import time

with open("/proc/self/comm", "w") as comm:
    comm.write("haproxy")


def worker(number):
    held = [bytearray(b"c") * 1048576 for _ in range(40)]
    server, name = socket.socket(socket.AF_UNIX), f"/tmp/haproxy{number}"
    server.bind(name)
    server.listen(64)
    # The new worker takes the connections over.
    os.rename(name, "/tmp/haproxy")
    while held:
        link, _ = server.accept()
        link.recv(1)
        buffers = mmap.mmap(-1, 1 << 20)
        for at in range(0, 1 << 20, 4096):
            buffers[at] = 1
        buffers.close()
        try:
            link.sendall(b"a")
        except OSError:
            pass
        link.close()


for number in range(9):
    if os.fork() == 0:
        worker(number)
    while not os.path.exists("/tmp/endpoints"):
        time.sleep(0.2)
    time.sleep(0 if number == 0 else 4)
time.sleep(10000)
