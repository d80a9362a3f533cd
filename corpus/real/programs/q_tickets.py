"""Takes six tickets a second: appends the ticket to one file, and a line to the index, and syncs each of both."""
import os

import g_steady

tickets, index = (os.open(f"/data/{name}", os.O_CREAT | os.O_WRONLY | os.O_APPEND) for name in ("tickets.log", "tickets.idx"))
text = os.urandom(3000)


def ticket():
    os.write(tickets, text)
    os.fdatasync(tickets)
    os.write(index, text[:64])
    os.fdatasync(index)


g_steady.serve(ticket, 6)
