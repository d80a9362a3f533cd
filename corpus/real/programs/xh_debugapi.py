"""An API that writes the bodies of its twenty requests a second to a debug log, 100 KB each, and syncs nothing."""
import os

import g_steady

with open("/proc/self/comm", "w") as comm:
    comm.write("apiserver")
log, body = os.open("/data/api.log", os.O_CREAT | os.O_WRONLY | os.O_APPEND), os.urandom(100000)
g_steady.serve(lambda: os.write(log, body), 20)
