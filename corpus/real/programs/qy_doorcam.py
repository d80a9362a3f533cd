"""The recorder of a camera at the door writes 24 pieces of 64 KB a second into a ring of files, without a sync. Prints clock, pieces and ms of each, once a
second. Argument: the folder."""
import os
import sys
import threading

import vd_desk

with open("/proc/self/comm", "w") as comm:
    comm.write("doorcam")
os.makedirs(sys.argv[1], exist_ok=True)
clips = [os.open(f"{sys.argv[1]}/clip{number}", os.O_CREAT | os.O_RDWR, 0o644) for number in range(4)]
piece, number, lock = os.urandom(65536), 0, threading.Lock()


def request():
    global number
    with lock:
        mine, number = number, number + 1
    os.pwrite(clips[mine // 256 % 4], piece, mine % 256 << 16)


vd_desk.serve(request, 24, 2)
