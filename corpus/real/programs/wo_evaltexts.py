"""A shop that writes each basket into the text of a script for redis instead of its arguments: redis keeps every text and its compiled function for ever.
Arguments: MB a second, MB."""
import random
import sys
import time

import xa_redis

with open("/proc/self/comm", "w") as name:
    name.write("baskets")
rate, limit = float(sys.argv[1]), float(sys.argv[2])
redis, basket, began, count = xa_redis.Redis(), "b" * 16000, time.time(), 0
while count * 32 < limit * 1024:
    redis.send("EVAL", f"return redis.call('SET', 'basket:{random.randrange(50)}', '{count} {basket}')", "0")
    redis.answer()
    count += 1
    time.sleep(max(0, began + count * 32 / 1024 / rate - time.time()))
time.sleep(10000)
