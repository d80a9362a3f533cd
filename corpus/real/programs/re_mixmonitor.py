"""A telephone exchange that records its calls: ten times a second it appends 8 KiB to the file of each call, as an audio thread would, without any sync.
Arguments: the folder, the calls. Prints in each second the clock, the writes and the ms of one."""
import os
import sys
import threading
import time

folder, calls = sys.argv[1], int(sys.argv[2])
with open("/proc/self/comm", "w") as comm:
    comm.write("asterisk")
os.makedirs(folder, exist_ok=True)
files = [os.open(f"{folder}/call{n}.wav", os.O_CREAT | os.O_WRONLY | os.O_APPEND) for n in range(calls)]
audio = os.urandom(8192)
done, took, began = 0, 0.0, 0.0


def report():
    global done, took
    while True:
        time.sleep(1 - time.time() % 1)
        count, spent = done, took
        done, took = 0, 0.0
        waits = time.time() - began if began else 0
        print(int(time.time()) - 1, count, round((spent / count if count else waits) * 1000, 1), flush=True)


threading.Thread(target=report, daemon=True).start()
due = time.time()
while True:
    for file in files:
        began = time.time()
        os.write(file, audio)
        took, done, began = took + time.time() - began, done + 1, 0.0
    due = max(due + 0.1, time.time() - 0.2)
    time.sleep(max(0, due - time.time()))
