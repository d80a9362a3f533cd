"""A network agent that writes the state of its endpoints anew: each of eight workers writes a header, syncs it, renames it and syncs the folder,
one endpoint after another. Arguments: folder, seconds. Prints nothing."""
import os
import sys
import threading
import time

open("/proc/self/comm", "w").write("cilium-agent")
root, end = sys.argv[1], time.time() + float(sys.argv[2])
text = os.urandom(12000)


def regenerate(worker):
    name = f"{root}/{worker}"
    os.makedirs(name, exist_ok=True)
    folder = os.open(name, os.O_RDONLY)
    while time.time() < end:
        file = os.open(name + "/ep_config.new", os.O_CREAT | os.O_WRONLY | os.O_TRUNC)
        os.write(file, text)
        os.fsync(file)
        os.close(file)
        os.rename(name + "/ep_config.new", name + "/ep_config.h")
        os.fsync(folder)


for worker in range(8):
    threading.Thread(target=regenerate, args=(worker,)).start()
