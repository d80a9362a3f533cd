"""PHP-FPM with a pool that grows (pm = dynamic): six workers of 34 MB that serve ten requests a second, each of which uses all memory of its worker. From
when /tmp/go exists a crawler asks for twelve more a second, and the pool starts two workers a second up to pm.max_children = 27. Appends a byte to
/tmp/served for each request."""
import os
import time

with open("/proc/self/comm", "w") as comm:
    comm.write("php-fpm")
take, give = os.pipe()
os.set_blocking(give, False)
served = os.open("/tmp/served", os.O_CREAT | os.O_WRONLY | os.O_APPEND)


def worker():
    heap = [bytearray(b"p") * 1048576 for _ in range(34)]
    while os.read(take, 1):
        for part in heap:
            part[::4096] = b"q" * 256
        os.write(served, b".")


def start():
    if os.fork() == 0:
        worker()
        os._exit(0)
    return 1


workers = sum(start() for _ in range(6))
due = grow = time.time()
while True:
    busy = os.path.exists("/tmp/go")
    try:
        os.write(give, b"r")
    except BlockingIOError:
        pass
    if busy and workers < 27 and time.time() > grow:
        workers, grow = workers + start(), time.time() + 0.5
    due = max(due + (1 / 22 if busy else 0.1), time.time() - 0.1)
    time.sleep(max(0, due - time.time()))
