"""A database that deletes eight customers a second. From when /tmp/go exists (a migration has added a foreign key of the orders, without an index of its
column) each deletion looks at every row of the orders, which are in memory."""
import os

import g_steady

with open("/proc/self/comm", "w") as name:
    name.write("customerdb")
orders = bytes(range(256)) * 3000


def delete():
    rows = len(orders) if os.path.exists("/tmp/go") else 300
    found = 0
    for row in range(rows):
        if orders[row] == 300:
            found += 1


g_steady.serve(delete, 8)
