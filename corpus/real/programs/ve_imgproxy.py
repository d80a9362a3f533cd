"""A proxy makes thumbnails: for each request it holds an image decoded at full size. Small ones take 1 MB and are done at once. With /tmp/grid, an
editor looks at a grid of photographs, which take 40 MB each and 3 s to encode, each in a thread. Argument: the socket."""
import os
import socket
import sys
import threading
import time


def answer(link):
    with link:
        link.recv(100)
        big = os.path.exists("/tmp/grid")
        image = bytearray(b"i") * ((40 if big else 1) << 20)
        if big:
            time.sleep(3)
        link.sendall(b"%d" % len(image[:1000]))


if os.path.exists(sys.argv[1]):
    os.unlink(sys.argv[1])
server = socket.socket(socket.AF_UNIX)
server.bind(sys.argv[1])
server.listen(200)
while True:
    link, _ = server.accept()
    threading.Thread(target=answer, args=(link,), daemon=True).start()
