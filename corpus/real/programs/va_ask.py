"""A client asks a server on a socket 20 times a second, and asks again until it is answered. Argument: the socket."""
import socket
import sys
import time

import g_steady


def ask():
    while True:
        try:
            with socket.socket(socket.AF_UNIX) as link:
                link.settimeout(8)
                link.connect(sys.argv[1])
                link.sendall(b"q")
                if link.recv(1):
                    return
        except OSError:
            pass
        time.sleep(0.1)


g_steady.serve(ask, 20)
