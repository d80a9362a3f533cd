"""Writes audit records for logins: threads that each append to a file of their own and sync every record. Argument: the threads."""
import os
import sys
import threading

with open("/proc/self/comm", "w") as comm:
    comm.write("auditsink")


def sink(number):
    file = os.open(f"/data/audit{number}", os.O_CREAT | os.O_WRONLY | os.O_APPEND)
    while True:
        os.write(file, b"type=USER_LOGIN res=failed " * 40)
        os.fsync(file)


for number in range(int(sys.argv[1])):
    threading.Thread(target=sink, args=(number,)).start()
