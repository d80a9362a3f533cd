"""Reads 60 blocks of 64 KiB a second from a file of 600 MB in sequence."""
import pace

file = open("/data/lite.db", "rb", 0)


def block():
    if not file.read(65536):
        file.seek(0)


pace.serve(block, interval=1 / 60, behind=0.1)
