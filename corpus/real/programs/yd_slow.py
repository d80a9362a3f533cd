"""Clients on slow lines download large files from nginx at /tmp/front, 128 KB a second each. Arguments: the paths."""
import socket
import sys
import time

links = []
for path in sys.argv[1:]:
    link = socket.socket(socket.AF_UNIX)
    link.connect("/tmp/front")
    link.sendall(b"GET %s HTTP/1.0\r\n\r\n" % path.encode())
    links.append(link)
while True:
    for link in links:
        link.recv(65536)
    time.sleep(0.5)
