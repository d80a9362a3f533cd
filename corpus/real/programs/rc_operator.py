"""A Kubernetes operator whose informer holds all secrets, as many MB as /tmp/secrets says, before it answers on /tmp/operator; and who asks it to
reconcile, 10 times a second, and prints in each second clock, answers and ms. Argument: manager, client."""
import os
import socket
import sys
import threading
import time

PATH = "/tmp/operator"
if sys.argv[1] == "manager":
    with open("/proc/self/comm", "w") as name:
        name.write("manager")
    if os.path.exists(PATH):
        os.unlink(PATH)
    cache = []

    def sync():
        with open("/tmp/secrets") as secrets:
            wanted = int(secrets.read() or 0)
        while len(cache) < wanted:
            cache.append(bytearray(b"s") * (1 << 20))
            time.sleep(0.04)

    def watch():
        while True:
            sync()
            time.sleep(0.5)

    sync()
    threading.Thread(target=watch, daemon=True).start()
    door = socket.socket(socket.AF_UNIX)
    door.bind(PATH)
    door.listen(20)
    while True:
        link, _ = door.accept()
        try:
            link.recv(10)
            for block in cache[:20]:
                block[0] = 120
            link.sendall(b"done")
        except OSError:
            pass
        link.close()

import g_steady


def reconcile():
    while True:
        try:
            with socket.socket(socket.AF_UNIX) as link:
                link.settimeout(2)
                link.connect(PATH)
                link.sendall(b"reconcile")
                if link.recv(10):
                    return
        except OSError:
            pass
        time.sleep(0.2)


g_steady.serve(reconcile, 10)
