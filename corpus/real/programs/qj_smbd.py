"""A file server of an office: four clients each save eight times a second 16 KB into a document of theirs and send a flush. It ignores the flush, until
/tmp/go exists: from then on it syncs the document. Prints clock, requests and ms of each, once a second."""
import os
import threading
import time

with open("/proc/self/comm", "w") as comm:
    comm.write("smbd")
os.makedirs("/data/office", exist_ok=True)
lock, done, took = threading.Lock(), 0, 0.0


def client(number):
    global done, took
    document = os.open(f"/data/office/{number}.mdb", os.O_CREAT | os.O_WRONLY)
    due, at = time.time() + number / 32, 0
    while True:
        began = time.time()
        os.pwrite(document, b"d" * 16384, at % 256 * 16384)
        at += 7
        if os.path.exists("/tmp/go"):
            os.fsync(document)
        with lock:
            done, took = done + 1, took + time.time() - began
        due = max(due + 1 / 8, time.time() - 1 / 8)
        time.sleep(max(0, due - time.time()))


for number in range(4):
    threading.Thread(target=client, args=(number,), daemon=True).start()
while True:
    time.sleep(1 - time.time() % 1)
    with lock:
        count, spent, done, took = done, took, 0, 0.0
    print(int(time.time()), count, *([round(spent / count * 1000, 1)] if count else []), flush=True)
