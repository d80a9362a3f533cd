"""An exporter that asks redis for a value of 300 KB again and again and never reads an answer: 53 times a second, after 240 MB 20 times."""
import socket
import time

link = socket.socket(socket.AF_UNIX)
link.connect("/tmp/redis")
link.sendall(b"SET big %s\r\n" % (b"b" * 60000))
link.recv(100)
for _ in range(4):
    link.sendall(b"APPEND big %s\r\n" % (b"b" * 60000))
    link.recv(100)
asked = 0
while True:
    link.sendall(b"GET big\r\n")
    asked += 1
    time.sleep(0.019 if asked < 800 else 0.05)
