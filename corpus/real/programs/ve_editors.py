"""Editors ask a proxy for ten images a second. Prints in each second the clock, the images that came and the ms of one. Argument: the socket."""
import socket
import sys
import threading
import time

lock, came, took = threading.Lock(), 0, 0.0


def ask():
    global came, took
    began = time.time()
    try:
        with socket.socket(socket.AF_UNIX) as link:
            link.settimeout(10)
            link.connect(sys.argv[1])
            link.sendall(b"get")
            if not link.recv(100):
                return
    except OSError:
        return
    with lock:
        came += 1
        took += time.time() - began


due = time.time()
second = int(due)
while True:
    threading.Thread(target=ask, daemon=True).start()
    due = max(due + 0.1, time.time() - 1)
    time.sleep(max(0.0, due - time.time()))
    if int(time.time()) > second:
        with lock:
            print(int(time.time()), came, *([round(took / came * 1000, 1)] if came else []), flush=True)
            came, took, second = 0, 0.0, int(time.time())
