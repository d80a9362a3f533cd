"""Solves twelve small problems a second; for each it borrows a licence at /tmp/licence first."""
import socket

import g_steady

with open("/proc/self/comm", "w") as comm:
    comm.write("solver")


def problem():
    with socket.socket(socket.AF_UNIX) as link:
        link.connect("/tmp/licence")
        link.sendall(b"checkout solver\n")
        link.recv(100)
    value = 1
    for n in range(2000):
        value = value * 31 % 1000003


g_steady.serve(problem, 12)
