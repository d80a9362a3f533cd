"""The savers of a training job: each thread writes one tensor after the other of a checkpoint, each to a file of its own that it syncs and renames, and
begins the next checkpoint when all are written. Prints nothing. Arguments: the folder, threads, KB of a tensor."""
import os
import sys
import threading

with open("/proc/self/comm", "w") as name:
    name.write("ckpt_saver")
folder, threads, size = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
tensor = os.urandom(size * 1024)


def saver(number):
    step = 0
    while True:
        place = f"{folder}/step{step % 3}/{number}"
        os.makedirs(place, exist_ok=True)
        for index in range(200):
            path = f"{place}/layer.{index}.weight"
            file = os.open(path + ".tmp", os.O_CREAT | os.O_WRONLY | os.O_TRUNC)
            os.write(file, tensor)
            os.fsync(file)
            os.close(file)
            os.rename(path + ".tmp", path)
        step += 1


for number in range(threads):
    threading.Thread(target=saver, args=(number,)).start()
