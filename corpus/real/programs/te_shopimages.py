"""The images of a shop: 12 requests a second, each reads one of 400 resized images of 250 KB; where it is missing, it is made from an original of 1.2 MB
of a large file, and kept. Arguments: the folder of resized images, the file of originals. Prints clock, requests and ms of each once a second."""
import os
import random
import sys
import zlib

import g_steady

folder, originals = sys.argv[1], os.open(sys.argv[2], os.O_RDONLY)
with open("/proc/self/comm", "w") as name:
    name.write("shopimages")
IMAGES, ORIGINAL = int(os.environ.get("IMAGES", 400)), 1200 * 1024
os.makedirs(folder, exist_ok=True)
image = os.urandom(250000)


def keep(number):
    with open(f"{folder}/{number}.webp", "wb") as file:
        file.write(image)


def request():
    number = random.randrange(IMAGES)
    try:
        with open(f"{folder}/{number}.webp", "rb") as file:
            file.read()
    except FileNotFoundError:
        zlib.crc32(os.pread(originals, ORIGINAL, number % 300 * ORIGINAL))
        keep(number)


for number in range(IMAGES):
    keep(number)
os.sync()
for number in range(IMAGES):
    with open(f"{folder}/{number}.webp", "rb") as file:
        file.read()
g_steady.serve(request, 12)
