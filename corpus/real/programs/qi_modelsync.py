"""A program on each node that keeps models at hand: downloads (copies) files of 200 MB at so many MB/s into a folder, three at once, in blocks of 1 MB and without a
sync, until it has as many files as it was told. Arguments: the folder, the MB/s, the files."""
import os
import sys
import threading
import time

with open("/proc/self/comm", "w") as comm:
    comm.write("modelsync")
folder, rate, files = sys.argv[1], float(sys.argv[2]), int(sys.argv[3])
os.makedirs(folder, exist_ok=True)
todo, lock = list(range(files)), threading.Lock()


def download():
    while True:
        with lock:
            if not todo:
                return
            number = todo.pop(0)
        with open(f"/bulk/media/part{number % 6 + 1}", "rb", 0) as source, open(f"{folder}/model{number}", "wb", 0) as model:
            while block := source.read(1 << 20):
                model.write(block)
                time.sleep(3 / rate)


threads = [threading.Thread(target=download) for _ in range(3)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
