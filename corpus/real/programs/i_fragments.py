"""Renders 20 pages a second from a cache of fragments of 400 KB in its own heap; when /tmp/go exists the key of a fragment holds the number of the
session, so that each is new, and none is ever found again."""
import os

import pace

cache, number = {}, 0


def page():
    global number
    number += 1
    key = number if os.path.exists("/tmp/go") else number % 40
    if key not in cache:
        cache[key] = b"f" * 400000
    len(cache[key])


pace.serve(page)
