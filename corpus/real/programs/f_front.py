"""Asks a socket 20 times a second, and prints in each second how many requests were answered, and how many ms one took."""
import socket
import time

done, took, now = 0, 0.0, int(time.time())
while True:
    began = time.time()
    try:
        with socket.socket(socket.AF_UNIX) as link:
            link.settimeout(1)
            link.connect("/tmp/exportd")
            link.sendall(b"get")
            if link.recv(4000):
                done, took = done + 1, took + time.time() - began
    except OSError:
        pass
    time.sleep(max(0, began + 0.05 - time.time()))
    if int(time.time()) != now:
        print(now, done, *([round(took / done * 1000, 1)] if done else []), flush=True)
        done, took, now = 0, 0.0, int(time.time())
