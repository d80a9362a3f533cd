"""A client of redis that begins a transaction (MULTI) and queues SETs of 100 kB in it, 10 MB a second, and never gets to its EXEC. Argument: the MB."""
import socket
import sys
import time

link = socket.socket(socket.AF_UNIX)
link.connect("/tmp/redis")
answers = link.makefile("rb")
link.sendall(b"*1\r\n$5\r\nMULTI\r\n")
answers.readline()
due = time.time()
for n in range(int(sys.argv[1]) * 10):
    link.sendall(b"*3\r\n$3\r\nSET\r\n$8\r\n%08d\r\n$100000\r\n%s\r\n" % (n, b"q" * 100000))
    answers.readline()
    due += 0.01
    time.sleep(max(0, due - time.time()))
time.sleep(1000)
