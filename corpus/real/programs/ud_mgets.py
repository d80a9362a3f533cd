"""A shop that asks redis for many random values at once, 20 times a second; prints each second: clock, requests answered, ms of one.
Arguments: the socket, the number of keys that exist (key:000000000000 and so on), keys of a request."""
import random
import socket
import sys
import threading
import time

path, keys, many = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
done, spent = 0, 0.0


def report():
    answered, busy, now = 0, 0.0, int(time.time())
    while True:
        time.sleep(max(0, now + 1 - time.time()))
        count, sum_ = done - answered, spent - busy
        answered, busy = done, spent
        print(now, count, *([round(sum_ / count * 1000, 1)] if count > 0 else []), flush=True)
        now += 1


link = socket.socket(socket.AF_UNIX)
link.connect(path)
answers = link.makefile("rb", 65536)
threading.Thread(target=report, daemon=True).start()
due = time.time()
while True:
    time.sleep(max(0, due - time.time()))
    began = time.time()
    words = "".join("$16\r\nkey:%012d\r\n" % random.randrange(keys) for _ in range(many))
    link.sendall(f"*{many + 1}\r\n$4\r\nMGET\r\n{words}".encode())
    answers.readline()
    for _ in range(many):
        size = int(answers.readline()[1:])
        if size >= 0:
            answers.read(size + 2)
    done, spent = done + 1, spent + time.time() - began
    due = max(due + 0.05, time.time() - 0.5)
