"""Takes uploads and appends each to a file, without a sync. Prints clock, uploads and ms in each second. Arguments: the file, uploads a second, KB of each."""
import os
import sys

import g_steady

with open("/proc/self/comm", "w") as name:
    name.write("ingest")
body = os.urandom(int(sys.argv[3]) << 10)
file = os.open(sys.argv[1], os.O_CREAT | os.O_WRONLY | os.O_APPEND)
g_steady.serve(lambda: os.write(file, body), int(sys.argv[2]))
