"""An application server: 16 pages a second, each from one of 60 templates that it opens and reads, and 25 ms of a CPU."""
import os
import random
import time

import pace

os.makedirs("/data/pages", exist_ok=True)
names = [f"/data/pages/{number}.tmpl" for number in range(60)]
for name in names:
    with open(name, "wb") as file:
        file.write(b"<li>{{ item }}</li>\n" * 800)
os.sync()


def work(count):
    value = 1
    for n in range(count):
        value = value * 31 % 1000003


began, count = time.process_time(), 0
while time.process_time() - began < 0.5:
    work(1000)
    count += 1000


def page():
    with open(random.choice(names), "rb") as file:
        file.read()
    work(count // 20)


pace.serve(page, interval=1 / 16)
