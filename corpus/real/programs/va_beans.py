"""An application server: each of 10 requests a second builds a session of 700 kB; from when /tmp/go exists (a setting of the time-out) it keeps them, up to 400 MB."""
import os

import g_steady

with open("/proc/self/comm", "w") as name:
    name.write("beans")
base, sessions = bytearray(b"b") * (30 << 20), []


def request():
    session = bytearray(b"s") * 700000
    if os.path.exists("/tmp/go") and len(sessions) < 570:
        sessions.append(session)


g_steady.serve(request, 10)
