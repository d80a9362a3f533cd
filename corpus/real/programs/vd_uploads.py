"""Forty clients of redis that each send a value of 16 MB over a slow line: together 5 MB a second, and each stops after 4.5 MB. What has come lies in
the server's query buffers. Argument: the socket."""
import socket
import sys
import time

links = []
for number in range(40):
    link = socket.socket(socket.AF_UNIX)
    link.connect(sys.argv[1])
    link.sendall(b"*3\r\n$3\r\nSET\r\n$8\r\nimport%02d\r\n$16777216\r\n" % number)
    link.setblocking(False)
    links.append(link)
part, sent = b"u" * 32768, dict.fromkeys(links, 0)
while True:
    for link in links:
        if sent[link] < 4500000:
            try:
                sent[link] += link.send(part)
            except BlockingIOError:
                pass
    time.sleep(0.25)
