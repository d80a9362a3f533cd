"""A mail server takes four messages a second: writes a new file of 5 KB, syncs it, and renames it into a queue of 400 before it answers."""
import os

import g_steady

with open("/proc/self/comm", "w") as name:
    name.write("smtpd")
os.makedirs("/data/mailin", exist_ok=True)
number = 0


def message():
    global number
    file = os.open("/data/mailin/new", os.O_CREAT | os.O_WRONLY)
    os.write(file, b"Subject: hello\n" * 350)
    os.fsync(file)
    os.close(file)
    os.rename("/data/mailin/new", f"/data/mailin/{number % 400}")
    number += 1


g_steady.serve(message, 4)
