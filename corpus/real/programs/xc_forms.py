"""Takes ten forms a second, each in 1 MB of fresh memory that it gives back; from when /tmp/go exists it keeps half a MB of each, up to 60 MB."""
import mmap
import os

import g_steady

held, kept, body = [bytearray(b"f") * (1 << 20) for _ in range(70)], [], b"m" * (1 << 20)


def take():
    with mmap.mmap(-1, 1 << 20) as form:
        form.write(body)
    if len(kept) < 120 and os.path.exists("/tmp/go"):
        kept.append(bytearray(b"k") * (1 << 19))


g_steady.serve(take, 10)
