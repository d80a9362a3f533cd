"""Opens and reads five of 900 mails of 24 KB each, 12 times a second."""
import os
import random

import h_open

os.makedirs("/data/mail", exist_ok=True)
names = [f"/data/mail/{number}.eml" for number in range(900)]
for name in names:
    with open(name, "wb") as file:
        file.write(b"Subject: " + os.urandom(12) * 2000)
os.sync()


def request():
    for name in random.sample(names, 5):
        with open(name, "rb") as file:
            file.read()


h_open.serve(request, 12)
