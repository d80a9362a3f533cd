"""Publishes messages and waits for the confirmation of each. Prints each second how many were confirmed. Arguments: messages a second, bytes."""
import socket
import sys
import threading
import time

rate, size = int(sys.argv[1]), int(sys.argv[2])
message = b"%8d" % size + b"m" * size
done, took = 0, 0.0


def report():
    global done, took
    while True:
        time.sleep(1 - time.time() % 1 + 0.01)
        count, ms, done, took = done, took, 0, 0.0
        print(int(time.time()) - 1, count, *([round(ms / count * 1000, 1)] if count else []), flush=True)


threading.Thread(target=report, daemon=True).start()
while True:
    try:
        peer = socket.socket(socket.AF_UNIX)
        peer.connect("/tmp/amqp")
        due = time.time()
        while True:
            began = time.time()
            peer.sendall(message)
            if not peer.recv(1):
                break
            took += time.time() - began
            done += 1
            due = max(due + 1 / rate, time.time() - 0.2)
            time.sleep(max(0, due - time.time()))
    except OSError:
        pass
    time.sleep(0.5)
