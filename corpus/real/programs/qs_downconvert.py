"""Converts batches of messages for old consumers: unpacks, copies and packs them again, in so many threads. Arguments: the threads, KB of a batch.
Prints nothing."""
import random
import sys
import threading
import zlib

import qs_query

qs_query.name("kafka")
words = [b"offset", b"partition", b"timestamp", b"customer", b"order", b"payment", b"shipped", b"warehouse"]
plain = b"".join(random.choice(words) + b"%d" % random.randrange(1000) for _ in range(4000))
plain = (plain * (int(sys.argv[2]) * 1024 // len(plain) + 1))[: int(sys.argv[2]) * 1024]
packed = zlib.compress(plain, 6)


def handler():
    while True:
        zlib.compress(zlib.decompress(packed), 6)


threads = [threading.Thread(target=handler) for _ in range(int(sys.argv[1]))]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
