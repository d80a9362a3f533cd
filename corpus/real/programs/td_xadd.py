"""Adds events of 8 KB to a stream of redis and never trims it, as a producer does that forgot MAXLEN. Arguments: socket, MB a second, MB in all. Prints
nothing."""
import socket
import sys
import time

with open("/proc/self/comm", "w") as name:
    name.write("eventproducer")
rate, total = int(sys.argv[2]), int(sys.argv[3])
link = socket.socket(socket.AF_UNIX)
link.connect(sys.argv[1])
answers = link.makefile("rb")
body = (b"0123456789abcdef" * 512)[:8000]
event = b"*5\r\n$4\r\nXADD\r\n$6\r\nevents\r\n$1\r\n*\r\n$4\r\nbody\r\n$8000\r\n" + body + b"\r\n"
due = time.time()
for _ in range(total * 8):
    # 16 events are 128 kB.
    link.sendall(event * 16)
    for _ in range(16):
        answers.readline()
        answers.readline()
    due = max(due + 0.125 / rate, time.time() - 1)
    time.sleep(max(0, due - time.time()))
time.sleep(1000)
