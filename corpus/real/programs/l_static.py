"""Opens and reads 25 of 80 small files a second, as a web server. Argument: the folder."""
import os
import random
import sys

import pace

os.makedirs(sys.argv[1], exist_ok=True)
names = [f"{sys.argv[1]}/page{number}.html" for number in range(80)]
for name in names:
    with open(name, "wb") as file:
        file.write(b"<p>page</p>\n" * 1700)
os.sync()


def page():
    with open(random.choice(names), "rb") as file:
        file.read()


pace.serve(page, interval=1 / 25)
