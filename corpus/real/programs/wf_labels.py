"""Four people label pictures: each thinks for half a second, and appends the label to a file of his own, synced, and waits for that."""
import os
import threading
import time

with open("/proc/self/comm", "w") as comm:
    comm.write("labelstore")
os.makedirs("/data/labels", exist_ok=True)
took = []


def person(number):
    file = os.open(f"/data/labels/{number}", os.O_CREAT | os.O_WRONLY | os.O_APPEND)
    while True:
        time.sleep(0.4 + number * 0.05)
        began = time.time()
        os.write(file, b"l" * 500)
        os.fdatasync(file)
        took.append(time.time() - began)


for number in range(4):
    threading.Thread(target=person, args=(number,), daemon=True).start()
while True:
    time.sleep(1 - time.time() % 1)
    told = took[:]
    del took[: len(told)]
    print(int(time.time()), len(told), *([round(sum(told) / len(told) * 1000, 1)] if told else []), flush=True)
