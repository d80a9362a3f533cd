"""A shop's feed: 15 requests a second, each gets three events of redis and reads 20 blocks of the MB of a file that it has read before; fills the
list of events first. Argument: the MB."""
import random
import sys

import g_steady
import h_hot
import xa_redis

with open("/proc/self/comm", "w") as comm:
    comm.write("feedd")
redis = xa_redis.Redis()
for _ in range(800):
    redis.ask("RPUSH", "events", b"e" * 8000)
part = h_hot.Hot("/data/lite.db", int(sys.argv[1]))


def request():
    for _ in range(3):
        redis.ask("LINDEX", "events", random.randrange(800))
    part.read(20)


g_steady.serve(request, 15)
