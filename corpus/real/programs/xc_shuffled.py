"""Stores 32 blocks of 128 kB a second in segments of 16 MB, without any sync, and removes the segments of a minute ago."""
import os

import g_steady

os.makedirs("/data/shuffle", exist_ok=True)
block, count, file = os.urandom(128 << 10), 0, -1


def store():
    global count, file
    if count % 128 == 0:
        segment = count // 128
        if file >= 0:
            os.close(file)
        file = os.open(f"/data/shuffle/{segment}", os.O_CREAT | os.O_WRONLY)
        if segment >= 15:
            os.unlink(f"/data/shuffle/{segment - 15}")
    os.write(file, block)
    count += 1


g_steady.serve(store, 32)
