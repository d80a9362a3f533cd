"""Renders the attachments of mails in a sandbox: every three seconds a child draws a page and takes memory for it, up to MB; when the child is killed, the mail has
no preview, and the next is tried. Argument: MB."""
import os
import sys
import time

with open("/proc/self/comm", "w") as name:
    name.write("previewd")
while True:
    pid = os.fork()
    if not pid:
        with open("/proc/self/comm", "w") as name:
            name.write("gs")
        page = []
        while len(page) < int(sys.argv[1]):
            page.append(bytearray(b"p") * (1 << 20))
            time.sleep(0.005)
        os._exit(0)
    os.waitpid(pid, 0)
    time.sleep(3)
