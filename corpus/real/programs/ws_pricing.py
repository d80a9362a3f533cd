"""A service of three workers that prices 20 offers a second, with compiled code. When /tmp/go exists its code cache is full, and the same work is
interpreted, 15 times slower. Argument: the ms of CPU of an offer."""
import os
import select
import sys
import time

with open("/proc/self/comm", "w") as name:
    name.write("pricingd")


def work(count):
    value = 1
    for n in range(count):
        value = value * 31 % 1000003


began, count = time.process_time(), 0
while time.process_time() - began < 0.5:
    work(1000)
    count += 1000
each = int(count / 0.5 * float(sys.argv[1]) / 1000)
done, told = os.pipe()
for _ in range(3):
    if os.fork() == 0:
        due = time.time()
        while True:
            due = max(due + 0.15, time.time() - 0.15)
            time.sleep(max(0, due - time.time()))
            work(each * 15 if os.path.exists("/tmp/go") else each)
            os.write(told, b"x")
served, now = 0, int(time.time())
while True:
    if select.select([done], [], [], 0.1)[0]:
        served += len(os.read(done, 4096))
    if int(time.time()) != now:
        print(now, served, flush=True)
        served, now = 0, int(time.time())
