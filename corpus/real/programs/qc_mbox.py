"""An IMAP server with mailboxes in mbox format: for each flag that changes near the start of a mailbox it writes the whole file again, in place, and syncs
nothing. Arguments: mailboxes, the MB of each."""
import os
import sys
import threading

with open("/proc/self/comm", "w") as comm:
    comm.write("imapd")
os.makedirs("/data/mbox", exist_ok=True)
part = os.urandom(1 << 20)


def user(number):
    file = os.open(f"/data/mbox/{number}", os.O_CREAT | os.O_WRONLY)
    while True:
        for at in range(int(sys.argv[2])):
            os.pwrite(file, part, at << 20)


for number in range(int(sys.argv[1])):
    threading.Thread(target=user, args=(number,)).start()
