"""Readers who fetch the page of a newspaper ten times a second, and would take it compressed."""
import socket

import quokka_tally


def fetch():
    with socket.socket(socket.AF_UNIX) as link:
        link.settimeout(10)
        link.connect("/tmp/web.sock")
        link.sendall(b"GET /page.txt HTTP/1.1\r\nHost: gazette\r\nAccept-Encoding: gzip\r\nConnection: close\r\n\r\n")
        size = 0
        while part := link.recv(262144):
            size += len(part)
        return size > 1000


quokka_tally.serve(fetch, 10, workers=4)
