"""A FIX engine that is told to sync its store (FileStoreSync=Y): each session writes a message into its body and its header and its numbers into a third
file, and syncs all three, at most 40 messages a second. Arguments: the folder, the sessions."""
import os
import sys
import threading
import time

with open("/proc/self/comm", "w") as name:
    name.write("fixengine")
os.makedirs(sys.argv[1], exist_ok=True)


def session(number):
    with open(f"/proc/self/task/{threading.get_native_id()}/comm", "w") as name:
        name.write("fixengine")
    flags = os.O_CREAT | os.O_WRONLY | os.O_APPEND
    files = [os.open(f"{sys.argv[1]}/{number}.{kind}", flags) for kind in ("body", "header", "seqnums")]
    while True:
        for file, size in zip(files, (350, 24, 22)):
            os.write(file, b"8" * size)
            os.fsync(file)
        time.sleep(1 / 40)


for number in range(int(sys.argv[2])):
    threading.Thread(target=session, args=(number,)).start()
