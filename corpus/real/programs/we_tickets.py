"""Opens six tickets a second: each is a new file, which is synced, and a line of a journal, which is synced as well."""
import os

import pace

with open("/proc/self/comm", "w") as name:
    name.write("ticketd")
os.makedirs("/data/tickets", exist_ok=True)
journal, count = os.open("/data/tickets.log", os.O_CREAT | os.O_WRONLY | os.O_APPEND), 0


def ticket():
    global count
    count += 1
    file = os.open(f"/data/tickets/{count % 300}", os.O_CREAT | os.O_WRONLY | os.O_TRUNC)
    os.write(file, b"t" * 3000)
    os.fsync(file)
    os.close(file)
    os.write(journal, b"j" * 100)
    os.fdatasync(journal)


pace.serve(ticket, interval=1 / 6)
