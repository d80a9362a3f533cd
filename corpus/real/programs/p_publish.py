"""Publishes 10 MB of events a second to a channel of redis, whose one subscriber hangs and reads nothing."""
import socket
import time

with open("/proc/self/comm", "w") as name:
    name.write("publisher")
links = []
for _ in range(2):
    links.append(socket.socket(socket.AF_UNIX))
    links[-1].connect("/tmp/redis")
links[0].sendall(b"SUBSCRIBE events\r\n")
event = b"*3\r\n$7\r\nPUBLISH\r\n$6\r\nevents\r\n$100000\r\n" + b"e" * 100000 + b"\r\n"
while True:
    links[1].sendall(event)
    if not links[1].recv(100):
        break
    time.sleep(0.01)
