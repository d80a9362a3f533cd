"""A collector of flow records that hangs, with a large receive buffer; an exporter goes on to send it datagrams of 8 KB, until so many MiB of files are
cached. Argument: the MiB."""
import os
import socket
import sys
import time

import room


def named(name):
    with open("/proc/self/comm", "w") as file:
        file.write(name)


receiver = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
receiver.setsockopt(socket.SOL_SOCKET, 33, 600 << 20)  # SO_RCVBUFFORCE
receiver.bind(("127.0.0.1", 2055))
if os.fork():
    named("nfcapd")
    time.sleep(10000)
receiver.close()
named("softflowd")
sender, least = socket.socket(socket.AF_INET, socket.SOCK_DGRAM), int(sys.argv[1])
while True:
    for _ in range(80 if room.files() > least else 0):
        sender.sendto(b"f" * 8192, ("127.0.0.1", 2055))
    time.sleep(0.04)
