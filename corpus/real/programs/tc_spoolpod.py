"""A web application in a pod. `worker SOCKET MB` loads MB of data and then answers at the socket; `ask SOCKET RATE` sends it requests and prints in each
second clock, answers and ms, and 0 while there is no answer."""
import os
import socket
import sys
import time

import g_steady

role, path, number = sys.argv[1:4]


def worker():
    data = [bytearray(b"w") * (1 << 20) for _ in range(int(number))]
    if os.path.exists(path):
        os.unlink(path)
    door = socket.socket(socket.AF_UNIX)
    door.bind(path)
    door.listen(8)
    while True:
        link, _ = door.accept()
        try:
            while link.recv(16):
                link.sendall(bytes(data[0][:64]))
        except OSError:
            pass
        link.close()


link = None


def ask():
    global link
    while True:
        try:
            if link is None:
                link = socket.socket(socket.AF_UNIX)
                link.settimeout(5)
                link.connect(path)
            link.sendall(b"get")
            if link.recv(64):
                return
        except OSError:
            pass
        link = None
        time.sleep(0.2)


if role == "worker":
    with open("/proc/self/comm", "w") as name:
        name.write("gunicorn")
    worker()
else:
    g_steady.serve(ask, float(number))
