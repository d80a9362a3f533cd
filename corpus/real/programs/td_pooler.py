"""A connection pooler handles 25 requests a second of an application, each in a fresh buffer of 400 kB that it gives back. Prints clock, requests and ms of a
request each second. No arguments."""
import mmap

import g_steady

with open("/proc/self/comm", "w") as name:
    name.write("pooler")


def request():
    buffer = mmap.mmap(-1, 409600)
    for at in range(0, 409600, 4096):
        buffer[at] = 1
    buffer.close()


g_steady.serve(request, 25)
