"""`gate`: a gateway of payments, which answers at once, and after 0.7 s when /tmp/go exists. `shop`: asks it for each of 10 orders a second."""
import os
import socket
import sys
import time

import pace

if sys.argv[1] == "gate":
    door = socket.socket(socket.AF_UNIX)
    door.bind("/tmp/gate")
    door.listen(8)
    while True:
        link, _ = door.accept()
        time.sleep(0.7 if os.path.exists("/tmp/go") else 0.01)
        link.sendall(b"paid")
        link.close()


def order():
    with socket.socket(socket.AF_UNIX) as link:
        link.connect("/tmp/gate")
        link.recv(4)


while not os.path.exists("/tmp/gate"):
    time.sleep(0.2)
pace.serve(order, interval=0.1)
