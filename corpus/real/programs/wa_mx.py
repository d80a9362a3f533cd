"""A mail server passes 12 messages a second through a filter: small ones, and from when /tmp/go exists ones with attachments that cost ten times as much."""
import os
import socket

import g_steady

link = socket.socket(socket.AF_UNIX)
link.connect("/tmp/filter")
with open("/proc/self/comm", "w") as name:
    name.write("mx")


def message():
    link.sendall(b"60" if os.path.exists("/tmp/go") else b"6")
    link.recv(1)


g_steady.serve(message, 12)
