"""Visitors of a web server at a UNIX socket, who fetch random files and understand gzip. Logs what the server served in each second.
Arguments: socket, requests a second of all, visitors at a time, files named f0000 and so on."""
import random
import socket
import sys
import threading
import time

path, rate, many, files = sys.argv[1], float(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
lock, served = threading.Lock(), [0, 0.0]


def fetch():
    link = socket.socket(socket.AF_UNIX)
    link.connect(path)
    link.sendall(b"GET /f%04d HTTP/1.1\r\nHost: site\r\nAccept-Encoding: gzip\r\nConnection: close\r\n\r\n" % random.randrange(files))
    first = link.recv(262144)
    while link.recv(262144):
        pass
    link.close()
    return first.startswith(b"HTTP/1.1 200")


def visitor():
    due = time.time() + random.random() * many / rate
    while True:
        time.sleep(max(0.0, due - time.time()))
        began = time.time()
        try:
            good = fetch()
        except OSError:
            good = False
        if good:
            with lock:
                served[0] += 1
                served[1] += time.time() - began
        due = max(due + many / rate, time.time() - many / rate)


for _ in range(many):
    threading.Thread(target=visitor, daemon=True).start()
while True:
    time.sleep(1 - time.time() % 1)
    with lock:
        done, took = served
        served[:] = [0, 0.0]
    print(int(time.time()), done, *([round(took / done * 1000, 1)] if done else []), flush=True)
