"""A portal that takes six seconds to get its settings from a remote system, and then serves 15 requests a second. Its health page, on a socket, asks
that remote system as well, which takes 1.5 s from when /tmp/go exists."""
import os
import socket
import threading
import time

import g_steady

with open("/proc/self/comm", "w") as name:
    name.write("portal")
time.sleep(6)
path = "/tmp/portal.sock"
if os.path.exists(path):
    os.unlink(path)
door = socket.socket(socket.AF_UNIX)
door.bind(path)
door.listen(8)


def health():
    while True:
        link, _ = door.accept()
        time.sleep(1.5 if os.path.exists("/tmp/go") else 0.02)
        try:
            link.send(b"ok")
        except OSError:
            pass
        link.close()


threading.Thread(target=health, daemon=True).start()
g_steady.serve(lambda: sum(range(4000)), 15)
