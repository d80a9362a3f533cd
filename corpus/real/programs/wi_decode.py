"""A web application. `app` loads 60 MB of templates, and answers on a socket; for an upload it decodes a picture, whose pixels take MB. `front` asks for 20
pages a second and logs; `user` uploads from when /tmp/go exists, again after each failure. Arguments: `app` MB, `front` or `user`."""
import os
import socket
import sys
import threading
import time

import g_steady

PLACE = "/tmp/uwsgi.sock"


def answer(link):
    with link:
        if link.recv(1) == b"u":
            pixels = []
            for _ in range(int(sys.argv[2])):
                pixels.append(bytearray(b"p") * (1 << 20))
            time.sleep(1)
        link.send(b"k")


def app():
    with open("/proc/self/comm", "w") as name:
        name.write("uwsgi")
    templates = []
    for _ in range(60):
        templates.append(bytearray(b"t") * (1 << 20))
        time.sleep(0.08)
    if os.path.exists(PLACE):
        os.remove(PLACE)
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(PLACE)
        server.listen(64)
        while True:
            threading.Thread(target=answer, args=(server.accept()[0],), daemon=True).start()


def ask(what):
    """Asks until there is an answer."""
    while True:
        try:
            with socket.socket(socket.AF_UNIX) as link:
                link.connect(PLACE)
                link.send(what)
                if link.recv(1):
                    return
        except OSError:
            pass
        time.sleep(0.5)


if sys.argv[1] == "app":
    app()
elif sys.argv[1] == "front":
    g_steady.serve(lambda: ask(b"p"), 20)
else:
    while not os.path.exists("/tmp/go"):
        time.sleep(0.2)
    ask(b"u")
