"""A dashboard asks redis for all of a list (6.4 MB) on a new connection each time, never reads the answer and never closes, until so many MB wait
in the output buffers of redis. Arguments: MB, seconds between two."""
import socket
import sys
import time

links = []
while len(links) * 6.4 < float(sys.argv[1]):
    link = socket.socket(socket.AF_UNIX)
    link.connect("/tmp/redis")
    link.sendall(b"LRANGE events 0 -1\r\n")
    links.append(link)
    time.sleep(float(sys.argv[2]))
time.sleep(10000)
