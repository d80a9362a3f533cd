"""A fax gateway appends 24 pages of 64 KB a second to its spool, and does not sync them."""
import os

import vd_desk

with open("/proc/self/comm", "w") as name:
    name.write("spooler")
file, page = os.open("/data/faxspool", os.O_CREAT | os.O_WRONLY | os.O_APPEND), os.urandom(1 << 16)
vd_desk.serve(lambda: os.write(file, page), 24, 1)
