"""Serves 20 pages a second of five values each, which five threads get from redis, which holds 30 000 of them, and reads what redis does not hold from sqlite."""
import concurrent.futures
import random
import socket
import sqlite3
import threading

import pace

COUNT = 30000
own = threading.local()


def connected():
    if not hasattr(own, "link"):
        own.link = socket.socket(socket.AF_UNIX)
        own.link.connect("/tmp/redis")
        own.answers = own.link.makefile("rb")
        own.base = sqlite3.connect("file:/data/lite.db?mode=ro", uri=True)
        own.base.execute("pragma cache_size=-200")
    return own


def put(number, value):
    return b"*3\r\n$3\r\nSET\r\n$10\r\n%010d\r\n$%d\r\n%s\r\n" % (number, len(value), value)


def get(_):
    mine, number = connected(), random.randrange(COUNT)
    mine.link.sendall(b"GET %010d\r\n" % number)
    size = int(mine.answers.readline()[1:])
    if size >= 0:
        mine.answers.read(size + 2)
        return
    value = mine.base.execute("select body from item where id = ?", (number * 20,)).fetchall()[0][0]
    mine.link.sendall(put(number, value))
    mine.answers.readline()


mine = connected()
for first in range(0, COUNT, 500):
    mine.link.sendall(b"".join(put(number, random.randbytes(900)) for number in range(first, first + 500)))
    for _ in range(500):
        mine.answers.readline()
threads = concurrent.futures.ThreadPoolExecutor(5)
pace.serve(lambda: list(threads.map(get, range(5))), interval=0.05)
