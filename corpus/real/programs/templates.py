"""Renders 15 pages a second, each from three of 300 templates of 64 KB, which it opens and reads each time."""
import os
import random

import pace

os.makedirs("/data/templates", exist_ok=True)
names = [f"/data/templates/{number}.html" for number in range(300)]
for name in names:
    with open(name, "wb") as file:
        file.write(b"<p>{{ name }}</p>\n" * 3600)
os.sync()


def render():
    for name in random.sample(names, 3):
        with open(name, "rb") as file:
            file.read().replace(b"{{ name }}", b"Ada", 20)


pace.serve(render, interval=1 / 15)
