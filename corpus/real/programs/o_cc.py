"""A compile server forks a compiler for each of eight small sources a second, which takes 4 MB for a moment."""
import os

import pace


def compiled():
    child = os.fork()
    if not child:
        bytearray(b"t") * (4 << 20)
        os._exit(0)
    os.waitpid(child, 0)


pace.serve(compiled, interval=0.125)
