"""Lists orders of a customer, 20 lists a second on six threads: an index that covers all columns is in memory but for one page of 16 KB, read around the page
cache. From when /tmp/go exists a list needs a column that the index does not have: 16 rows of it lie on pages all over the table."""
import mmap
import os
import random

import vd_desk

with open("/proc/self/comm", "w") as name:
    name.write("orderlist")
table, rooms = os.open("/data/lite.db", os.O_RDONLY | os.O_DIRECT), [mmap.mmap(-1, 16384) for _ in range(6)]


def orders():
    room = rooms.pop()
    for _ in range(16 if os.path.exists("/tmp/go") else 1):
        os.preadv(table, [room], random.randrange(35000) * 16384)
    rooms.append(room)


vd_desk.serve(orders, 20, 6)
