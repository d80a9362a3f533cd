"""A mail server takes five mails a second: each is written to tmp, synced, and moved to new. Prints clock, mails and ms of each, once a second."""
import os

import g_steady

with open("/proc/self/comm", "w") as comm:
    comm.write("lmtp")
for folder in ("tmp", "new"):
    os.makedirs(f"/data/vmail/{folder}", exist_ok=True)
text = os.urandom(6000)
number = 0


def deliver():
    global number
    number += 1
    with open(f"/data/vmail/tmp/{number}", "wb", buffering=0) as mail:
        mail.write(text)
        os.fsync(mail.fileno())
    os.rename(f"/data/vmail/tmp/{number}", f"/data/vmail/new/{number % 200}")


g_steady.serve(deliver, 5)
