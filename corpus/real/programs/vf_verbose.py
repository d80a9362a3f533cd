"""A gateway that logs its requests, 20 a second, without syncing: 300 bytes each, and 800 KB each (bodies and traces) when /tmp/go exists."""
import os

import g_steady

with open("/proc/self/comm", "w") as comm:
    comm.write("gatewayd")
log = os.open("/data/gateway.log", os.O_CREAT | os.O_WRONLY | os.O_APPEND)
line, trace = b"i" * 300, b"d" * 800000
verbose = False


def request():
    global verbose
    verbose = verbose or os.path.exists("/tmp/go")
    os.write(log, trace if verbose else line)


g_steady.serve(request, 20)
