"""An object store takes five objects a second: writes a new file of 8 KB with the object, syncs it, and renames it to its name before it answers."""
import os
import random

import g_steady

with open("/proc/self/comm", "w") as comm:
    comm.write("objserver")
os.makedirs("/data/objects", exist_ok=True)
body = os.urandom(8192)


def put():
    file = os.open("/data/objects/tmp", os.O_CREAT | os.O_WRONLY | os.O_TRUNC)
    os.write(file, body)
    os.fsync(file)
    os.close(file)
    os.rename("/data/objects/tmp", f"/data/objects/{random.randrange(500)}")


g_steady.serve(put, 5)
