"""A consumer of a queue and its supervisor, which starts it again when it was killed; prints in each second how many messages were done. When
/tmp/go exists the next message inflates to 300 MB, and it is not acknowledged, so each new consumer gets it again."""
import os
import select
import time


def consume(done):
    while True:
        size = 300 << 20 if os.path.exists("/tmp/go") else 200000
        message = bytearray(b"m") * size
        time.sleep(0.05)
        os.write(done, b"x")
        del message


reads, writes = os.pipe()
child, again, count, now = 0, 0.0, 0, int(time.time())
while True:
    if not child and time.time() >= again:
        child = os.fork()
        if not child:
            consume(writes)
    if select.select([reads], [], [], 0.1)[0]:
        count += len(os.read(reads, 4096))
    if child and os.waitpid(child, os.WNOHANG)[0]:
        child, again = 0, time.time() + 1
    if int(time.time()) != now:
        print(now, count, flush=True)
        count, now = 0, int(time.time())
