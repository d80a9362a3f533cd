"""A server of 15 queries a second. From when /tmp/go exists a client sends a report to a backend, which takes memory without bound; when a backend is
killed, the server ends all sessions and takes 8 s to recover, and the client sends its report again."""
import os
import subprocess
import sys
import threading
import time

import g_steady

report = len(sys.argv) > 1
with open("/proc/self/comm", "w") as name:
    name.write("pgbackend" if report else "postmaster")
if report:
    held = []
    while True:
        held.append(bytearray(b"h") * 1048576)
        time.sleep(0.01)
up = threading.Event()
up.set()


def client():
    while not os.path.exists("/tmp/go"):
        time.sleep(0.3)
    while True:
        if subprocess.run([sys.executable, __file__, "report"]).returncode == -9:
            up.clear()
            time.sleep(8)
            up.set()


def query():
    up.wait()
    sum(range(2000))


threading.Thread(target=client, daemon=True).start()
g_steady.serve(query, 15)
