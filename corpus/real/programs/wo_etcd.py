"""An etcd whose clients get keys, 20 requests a second, and, from when /tmp/go exists, list all of them without a limit: each answer is 14 MB that waits
6 s for its client. Argument: server, clients."""
import os
import random
import socket
import sys
import threading
import time

import g_steady

PATH = "/tmp/etcd"
if sys.argv[1] == "server":
    with open("/proc/self/comm", "w") as name:
        name.write("etcd")
    keys = bytearray(b"k") * (50 << 20)
    if os.path.exists(PATH):
        os.unlink(PATH)
    door = socket.socket(socket.AF_UNIX)
    door.bind(PATH)
    door.listen(100)

    def answer(link):
        while ask := link.recv(4):
            if ask == b"list":
                whole = bytearray(keys[: 14 << 20])
                time.sleep(6)
                del whole
            else:
                at = random.randrange(50 << 20)
                len(keys[at : at + 300])
            link.send(b"done")

    while True:
        threading.Thread(target=answer, args=(door.accept()[0],), daemon=True).start()
with open("/proc/self/comm", "w") as name:
    name.write("apiserver")
own = threading.local()


def ask(what):
    while True:
        try:
            if not getattr(own, "link", None):
                own.link = socket.socket(socket.AF_UNIX)
                own.link.connect(PATH)
            own.link.send(what)
            if own.link.recv(4):
                return
        except OSError:
            pass
        own.link = None
        time.sleep(0.2)


def lister():
    while True:
        if os.path.exists("/tmp/go"):
            ask(b"list")
        time.sleep(0.5)


for _ in range(12):
    threading.Thread(target=lister, daemon=True).start()
g_steady.serve(lambda: ask(b"getk"), 20)
