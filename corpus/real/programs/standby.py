"""A store with a standby. `serve NAME FILE`: answers on /tmp/NAME with ten random blocks of the first 100 MB of a file. `ask`: asks the
primary 20 times a second, and the standby when the primary does not answer; prints in each second how many blocks came, and the ms of ten."""
import os
import random
import socket
import sys
import time


def serve(name, path):
    file = os.open(path, os.O_RDONLY)
    door = socket.socket(socket.AF_UNIX)
    door.bind(f"/tmp/{name}")
    door.listen(8)
    while True:
        link, _ = door.accept()
        for _ in range(10):
            os.pread(file, 4096, random.randrange(25600) * 4096)
        try:
            link.sendall(b"done")
        except OSError:
            pass
        link.close()


def asked(name):
    try:
        with socket.socket(socket.AF_UNIX) as link:
            link.settimeout(5)
            link.connect(f"/tmp/{name}")
            return link.recv(4) == b"done"
    except OSError:
        return False


def ask():
    done, took, now = 0, 0, int(time.time())
    while True:
        began = time.time()
        if asked("primary") or asked("standby"):
            done, took = done + 10, took + time.time() - began
        time.sleep(max(0, began + 0.05 - time.time()))
        if int(time.time()) != now:
            print(now, done, *([round(took / (done / 10) * 1000, 1)] if done else []), flush=True)
            done, took, now = 0, 0, int(time.time())


if sys.argv[1] == "serve":
    serve(*sys.argv[2:])
ask()
