"""Asks a server on a unix socket so many times a second, each on a connection of its own, and gives one up after two seconds. Prints in each second
clock, answers and ms of each. Arguments: the socket, the times."""
import socket
import sys
import threading
import time

done, took = 0, 0.0


def report():
    global done, took
    while True:
        time.sleep(1 - time.time() % 1)
        count, spent, done, took = done, took, 0, 0.0
        print(int(time.time()), count, *([round(spent / count * 1000, 1)] if count else []), flush=True)


threading.Thread(target=report, daemon=True).start()
pause, due = 1 / float(sys.argv[2]), time.time()
while True:
    began = time.time()
    try:
        with socket.socket(socket.AF_UNIX) as asked:
            asked.settimeout(2)
            asked.connect(sys.argv[1])
            asked.sendall(b"?")
            if asked.recv(1):
                done, took = done + 1, took + time.time() - began
    except OSError:
        pass
    due = max(due + pause, time.time() - pause)
    time.sleep(max(0, due - time.time()))
