"""Receives documents: each of 30 KB goes to a file of its own, which is closed and given its name. Arguments: the folder, documents a second."""
import os
import sys

import g_steady

count, body = 0, os.urandom(30000)


def document():
    global count
    count = (count + 1) % 400
    with open(f"{sys.argv[1]}/incoming", "wb") as file:
        file.write(body)
    os.rename(f"{sys.argv[1]}/incoming", f"{sys.argv[1]}/document{count}")


g_steady.serve(document, float(sys.argv[2]))
