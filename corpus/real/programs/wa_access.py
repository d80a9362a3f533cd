"""A web server answers 15 requests a second and writes a line of 3 KB on each into its log, 400 KB from when /tmp/go exists (debug). It syncs nothing."""
import os

import g_steady

with open("/proc/self/comm", "w") as name:
    name.write("webgate")
os.makedirs("/data/weblog", exist_ok=True)
log = os.open("/data/weblog/access.log", os.O_CREAT | os.O_WRONLY | os.O_APPEND)
line, debug = b"GET / 200\n" * 300, b"debug: header x=y\n" * 22000


def request():
    os.write(log, debug if os.path.exists("/tmp/go") else line)


g_steady.serve(request, 15)
