"""Metrics about the objects of a cluster, kept in memory and served on /tmp/metrics after all of them were listed, as many MB as /tmp/objects says; and the
one who scrapes them, 5 times a second, and prints in each second clock, scrapes and ms. Argument: serve or scrape."""
import os
import socket
import sys
import threading
import time

DOOR = "/tmp/metrics"


def serve():
    with open("/proc/self/comm", "w") as name:
        name.write("kube-state-metr")
    families = []

    def follow():
        with open("/tmp/objects") as file:
            wanted = int(file.read() or len(families))
        while len(families) < wanted:
            families.append((b"kube_pod_info{pod=\"p\"} 1\n" * 41944)[: 1 << 20])
            time.sleep(0.05)

    def watch():
        while True:
            follow()
            time.sleep(0.5)

    if os.path.exists(DOOR):
        os.unlink(DOOR)
    follow()
    threading.Thread(target=watch, daemon=True).start()
    door = socket.socket(socket.AF_UNIX)
    door.bind(DOOR)
    door.listen(8)
    while True:
        link, _ = door.accept()
        try:
            link.recv(8)
            for family in families[:10]:
                family.count(b"\n", 0, 20000)
            link.sendall(b"done")
        except OSError:
            pass
        link.close()


def scrape():
    while True:
        try:
            with socket.socket(socket.AF_UNIX) as link:
                link.settimeout(2)
                link.connect(DOOR)
                link.sendall(b"scrape")
                if link.recv(8):
                    return
        except OSError:
            pass
        time.sleep(0.2)


if sys.argv[1] == "serve":
    serve()
else:
    import g_steady

    g_steady.serve(scrape, 5)
