"""A spam filter: its tables have MB, and each of 12 mails a second is unpacked into 1 MB of memory that is given back; when /tmp/go exists it adds
new rules, 5 MB a second, up to so many MB. Arguments: the MB, MB of new rules."""
import mmap
import os
import sys
import threading
import time

import g_steady

tables, rules = [bytearray(b"b") * (1 << 20) for _ in range(int(sys.argv[1]))], []


def update():
    while not os.path.exists("/tmp/go"):
        time.sleep(0.2)
    for _ in range(int(sys.argv[2])):
        rules.append(bytearray(b"r") * (1 << 20))
        time.sleep(0.2)


def mail():
    with mmap.mmap(-1, 1 << 20) as text:
        text.write(b"m" * (1 << 20))


threading.Thread(target=update, daemon=True).start()
g_steady.serve(mail, 12)
