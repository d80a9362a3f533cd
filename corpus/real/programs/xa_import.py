"""Imports products into redis, of 4 KB each, so many MB a second up to MB. Arguments: MB a second, MB."""
import sys
import time

import xa_redis

redis, text, count = xa_redis.Redis(), b"p" * 4000, 0
began = time.time()
while count * 4 < float(sys.argv[2]) * 1024:
    for number in range(count, count + 20):
        redis.send("SET", f"product:{number}", text)
    for _ in range(20):
        redis.answer()
    count += 20
    time.sleep(max(0, began + count * 4 / 1024 / float(sys.argv[1]) - time.time()))
time.sleep(10000)
