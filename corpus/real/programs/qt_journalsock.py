"""A collector of logs that accepts one stream after another and reads none: what its clients send stays in the buffers of the sockets, in the kernel, 3.5
KB a message. Arguments: the MB in all, the MB/s."""
import resource
import socket
import sys
import time

with open("/proc/self/comm", "w") as name:
    name.write("logcollector")
resource.setrlimit(resource.RLIMIT_NOFILE, (60000, 60000))
message, streams = b"l" * 3500, []
sent, began = 0, time.time()
while sent < float(sys.argv[1]) * 250:
    client, server = socket.socketpair()
    client.setblocking(False)
    streams.append((client, server))
    try:
        while True:
            client.send(message)
            sent += 1
    except BlockingIOError:
        pass
    time.sleep(max(0, began + sent / 250 / float(sys.argv[2]) - time.time()))
time.sleep(10000)
