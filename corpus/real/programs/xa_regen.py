"""A worker makes the front page anew: takes its lock in redis for five minutes, deletes the old fragment and renders for a while."""
import time

import xa_redis

redis = xa_redis.Redis()
while redis.ask("SET", "lock:front", "regen", "NX", "EX", 300) != b"OK":
    time.sleep(0.05)
redis.ask("DEL", "front")
time.sleep(20)
redis.ask("SET", "front", b"f" * 30000)
redis.ask("DEL", "lock:front")
