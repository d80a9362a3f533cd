"""A media server that streams three films from /data to its viewers: twelve requests a second, each the next 64 KB of one of them. Prints clock, requests
and ms of each, once a second."""
import os

import g_steady

with open("/proc/self/comm", "w") as comm:
    comm.write("jellyfin")
films = [[os.open("/data/map/data.mdb", os.O_RDONLY), at << 20] for at in (10, 240, 470)]
turn = 0


def request():
    global turn
    film = films[turn % 3]
    turn += 1
    os.pread(film[0], 65536, film[1])
    film[1] += 65536


g_steady.serve(request, 12)
