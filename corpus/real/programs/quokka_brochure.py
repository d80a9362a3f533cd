"""A web application that has six documents a second rendered by another process; one that gets no answer failed."""
import socket

import quokka_tally


def document():
    with socket.socket(socket.AF_UNIX) as link:
        link.settimeout(2)
        link.connect("/tmp/render.sock")
        link.sendall(b"render\n")
        return bool(link.recv(100))


quokka_tally.serve(document, 6)
