"""A store of metrics writes points of 12 bytes to eight files at once, and syncs each point."""
import os
import random
import threading

with open("/proc/self/comm", "w") as name:
    name.write("carbon-cache")
os.makedirs("/data/whisper", exist_ok=True)


def metric(number):
    file = os.open(f"/data/whisper/{number}.wsp", os.O_CREAT | os.O_RDWR)
    os.write(file, bytes(200000))
    os.fsync(file)
    while True:
        os.pwrite(file, b"p" * 12, random.randrange(16000) * 12)
        os.fdatasync(file)


for number in range(8):
    threading.Thread(target=metric, args=(number,)).start()
