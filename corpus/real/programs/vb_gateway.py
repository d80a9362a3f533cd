"""Asks a worker 20 times a second by a socket; gives a request up after a second."""
import socket
import time

import pace


def ask():
    until = time.time() + 1
    while time.time() < until:
        try:
            with socket.socket(socket.AF_UNIX) as worker:
                worker.settimeout(1)
                worker.connect("/tmp/ranking")
                if worker.recv(9):
                    return
        except OSError:
            pass
        time.sleep(0.1)


pace.serve(ask)
