"""Asks the pricer for 12 prices a second; a request waits until it has one."""
import socket
import time

import vd_desk


def price():
    while True:
        try:
            with socket.socket(socket.AF_UNIX) as link:
                link.settimeout(2)
                link.connect("/tmp/pricer")
                if link.recv(9):
                    return
        except OSError:
            pass
        time.sleep(0.1)


vd_desk.serve(price, 12, 2)
