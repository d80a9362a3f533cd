"""An event bus whose subscribers hang: it goes on sending, and what they do not read waits in the kernel. Arguments: MiB, MiB/s."""
import resource
import socket
import sys
import time

resource.setrlimit(resource.RLIMIT_NOFILE, (20000, 20000))
size, rate = (float(value) for value in sys.argv[1:])
subscribers, message, sent, began = [], bytes(3700), 0, time.time()
while sent < size:
    pair = socket.socketpair()
    pair[0].setblocking(False)
    subscribers.append(pair)
    try:
        while True:
            pair[0].send(message)
            sent += 4096 / 1048576
    except BlockingIOError:
        pass
    time.sleep(max(0, began + sent / rate - time.time()))
time.sleep(10000)
