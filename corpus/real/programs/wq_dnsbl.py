"""A mail server with eight processes takes eight messages a second: each looks up its sender in a list on port 5300 (UDP), for up to two seconds, and appends
the message to a spool that it does not sync. A thread answers the look-ups, until /tmp/go exists."""
import os
import socket
import threading

import vd_desk

with open("/proc/self/comm", "w") as name:
    name.write("mxin")
spool = os.open("/data/mxspool", os.O_CREAT | os.O_WRONLY | os.O_APPEND)
listed = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
listed.bind(("127.0.0.1", 5300))


def answer():
    while True:
        _, asker = listed.recvfrom(512)
        if not os.path.exists("/tmp/go"):
            listed.sendto(b"NXDOMAIN", asker)


def message():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as query:
        query.settimeout(2)
        query.sendto(b"1.2.0.192.dnsbl.example", ("127.0.0.1", 5300))
        try:
            query.recv(512)
        except TimeoutError:
            pass
    os.write(spool, b"Received: from mx.example\n" * 200)


threading.Thread(target=answer, daemon=True).start()
vd_desk.serve(message, 8, 8)
