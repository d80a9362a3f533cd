"""A logger of the host: takes lines at a socket, appends each to a log, syncs it, and confirms it."""
import os
import socket

with open("/proc/self/comm", "w") as name:
    name.write("rsyslogd")
log = os.open("/data/audit.log", os.O_CREAT | os.O_WRONLY | os.O_APPEND)
door = socket.socket(socket.AF_UNIX)
door.bind("/tmp/log")
door.listen(4)
client, _ = door.accept()
while line := client.recv(4096):
    os.write(log, line)
    os.fsync(log)
    client.sendall(b"+")
