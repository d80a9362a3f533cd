"""Fills redis with MB of values of 100 kB, 8 MB a second. Argument: the MB."""
import socket
import sys
import time

link = socket.socket(socket.AF_UNIX)
link.connect("/tmp/redis")
answers = link.makefile("rb")
for n in range(int(sys.argv[1]) * 10):
    link.sendall(b"*3\r\n$3\r\nSET\r\n$8\r\n%08d\r\n$100000\r\n%s\r\n" % (n, b"v" * 100000))
    answers.readline()
    time.sleep(0.0125)
