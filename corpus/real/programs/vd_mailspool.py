"""Takes 20 messages of 128 KB a second: writes each to a new file and renames it into a queue of 300. It syncs nothing."""
import os

import vd_desk

with open("/proc/self/comm", "w") as name:
    name.write("mailspool")
os.makedirs("/data/spool", exist_ok=True)
text, count = os.urandom(131072), 0


def take():
    global count
    count += 1
    with open("/data/spool/new", "wb") as file:
        file.write(text)
    os.rename("/data/spool/new", f"/data/spool/{count % 300}")


vd_desk.serve(take, 20, 1)
