"""Serves 15 pages a second from fragments in redis; a fragment that is missing is made by who gets its lock, and the others wait a second for it
and give up."""
import random
import threading
import time

import quokka_tally
import xa_redis

with open("/proc/self/comm", "w") as comm:
    comm.write("php-fpm")
own = threading.local()


def page():
    if not hasattr(own, "redis"):
        own.redis = xa_redis.Redis()
    own.redis.ask("GET", f"block:{random.randrange(400)}")
    for _ in range(20):
        if own.redis.ask("GET", "front"):
            return True
        if own.redis.ask("SET", "lock:front", "me", "NX", "EX", 300) == b"OK":
            time.sleep(0.2)
            own.redis.ask("SET", "front", b"f" * 30000)
            own.redis.ask("DEL", "lock:front")
            return True
        time.sleep(0.05)
    return False


redis = xa_redis.Redis()
for number in range(400):
    redis.ask("SET", f"block:{number}", b"b" * 4000)
quokka_tally.serve(page, 15, 4)
