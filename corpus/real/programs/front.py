"""A web application behind a proxy. `serve`: answers on /tmp/front with rows of sqlite. `ask`: the proxy, asks 20 times a second, five rows
each, and prints in each second how many rows came, and 0 when nobody answers."""
import os
import random
import socket
import sqlite3
import sys
import time


def serve():
    base = sqlite3.connect("file:/data/lite.db?mode=ro", uri=True)
    base.execute("pragma cache_size=-500")
    base.execute("select sum(length(body)) from item where id < 60000").fetchone()
    door = socket.socket(socket.AF_UNIX)
    door.bind("/tmp/front")
    door.listen(8)
    while True:
        link, _ = door.accept()
        for _ in range(5):
            base.execute("select body from item where id = ?", (random.randrange(60000),)).fetchone()
        link.sendall(b"done")
        link.close()


def ask():
    done, took, now = 0, 0, int(time.time())
    while True:
        began = time.time()
        try:
            with socket.socket(socket.AF_UNIX) as link:
                link.settimeout(2)
                link.connect("/tmp/front")
                if link.recv(4) == b"done":
                    done, took = done + 5, took + time.time() - began
        except OSError:
            pass
        time.sleep(max(0, began + 0.05 - time.time()))
        if int(time.time()) != now:
            print(now, done, *([round(took / (done / 5) * 1000, 1)] if done else []), flush=True)
            done, took, now = 0, 0, int(time.time())


if sys.argv[1] == "serve":
    serve()
while not os.path.exists("/tmp/front"):
    time.sleep(0.2)
ask()
