"""A hub of meters holds a connection for each meter, with one message of 200 bytes that waits in it, and reads none. Arguments: the connections, how many a second."""
import resource
import socket
import sys
import time

with open("/proc/self/comm", "w") as name:
    name.write("meterhub")
count, rate = int(sys.argv[1]), float(sys.argv[2])
resource.setrlimit(resource.RLIMIT_NOFILE, (count * 2 + 100, count * 2 + 100))
held, due = [], time.time()
while len(held) < count:
    for _ in range(20):
        pair = socket.socketpair()
        pair[0].send(b"m" * 200)
        held.append(pair)
    due = max(due + 20 / rate, time.time() - 1)
    time.sleep(max(0, due - time.time()))
time.sleep(10000)
