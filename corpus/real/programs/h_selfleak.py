"""Serves 12 requests a second from 150 MB of a file; when /tmp/go exists each leaves 800 KB behind, until 35 MB of files are cached."""
import os

import h_hot
import h_open
import room

index, kept = h_hot.Hot("/data/map/data.mdb", 150), []


def request():
    index.read(12)
    if os.path.exists("/tmp/go") and room.files() > 35:
        kept.append(bytearray(b"x") * 800000)


h_open.serve(request, 12)
