"""A mail filter: takes the ms of CPU that a message needs at the socket /tmp/filter, computes for that long, and answers."""
import socket
import time

with open("/proc/self/comm", "w") as name:
    name.write("mailfilter")


def work(count):
    value = 1
    for n in range(count):
        value = value * 31 % 1000003


began, count = time.process_time(), 0
while time.process_time() - began < 0.3:
    work(1000)
    count += 1000
door = socket.socket(socket.AF_UNIX)
door.bind("/tmp/filter")
door.listen(1)
client, _ = door.accept()
while asked := client.recv(64):
    work(int(count / 300 * int(asked)))
    client.sendall(b"+")
