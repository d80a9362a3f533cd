"""Renders 20 answers a second of 256 KB into a spool on tmpfs, whose last 240 are kept. From when /tmp/go exists nobody removes the older ones."""
import os

import pace

answer, at = os.urandom(1 << 18), 0


def render():
    global at
    with open(f"/mnt/ring/{at}", "wb") as file:
        file.write(answer)
    if not os.path.exists("/tmp/go") and at >= 240:
        os.remove(f"/mnt/ring/{at - 240}")
    at += 1


for _ in range(240):
    render()
pace.serve(render)
