"""Answers ten requests a second of some 10 ms of a CPU; when /tmp/go exists, four threads of its collector compute beside it in the same group."""
import os
import time

import pace


def work(count):
    value = 1
    for n in range(count):
        value = value * 31 % 1000003


for _ in range(4):
    if os.fork() == 0:
        while not os.path.exists("/tmp/go"):
            time.sleep(0.5)
        while True:
            work(20000)
began, count = time.process_time(), 0
while time.process_time() - began < 0.5:
    work(1000)
    count += 1000
pace.serve(lambda: work(count // 50), interval=0.1)
