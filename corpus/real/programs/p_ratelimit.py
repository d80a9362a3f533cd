"""Counts 20 requests a second of users in redis, and connects again when the link is lost."""
import random
import socket
import time

link, done, took, now = None, 0, 0.0, int(time.time())
while True:
    began = time.time()
    try:
        if link is None:
            link = socket.socket(socket.AF_UNIX)
            link.settimeout(1)
            link.connect("/tmp/redis")
        link.sendall(b"INCR user:%d\r\n" % random.randrange(5000))
        if link.recv(100).startswith(b":"):
            done, took = done + 1, took + time.time() - began
        else:
            link = None
    except OSError:
        link = None
    time.sleep(max(0, began + 0.05 - time.time()))
    if int(time.time()) != now:
        print(now, done, *([round(took / done * 1000, 1)] if done else []), flush=True)
        done, took, now = 0, 0.0, int(time.time())
