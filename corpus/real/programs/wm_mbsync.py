"""Fetches the mail of some accounts into Maildirs, a thread for each account: each message is written, synced and renamed into its folder, and the state of the
account is appended to a file and synced, too. Arguments: the folder, the accounts."""
import os
import sys
import threading

with open("/proc/self/comm", "w") as name:
    name.write("mbsync")


def fetch(account):
    box = f"{sys.argv[1]}/{account}"
    os.makedirs(f"{box}/tmp", exist_ok=True)
    os.makedirs(f"{box}/new", exist_ok=True)
    state = os.open(f"{box}/.mbsyncstate", os.O_CREAT | os.O_WRONLY | os.O_APPEND)
    for uid in range(10**6):
        file = os.open(f"{box}/tmp/{uid}", os.O_CREAT | os.O_WRONLY)
        os.write(file, b"Subject: hello\n" * 400)
        os.fsync(file)
        os.close(file)
        os.rename(f"{box}/tmp/{uid}", f"{box}/new/{uid}")
        os.write(state, b"%d %d S\n" % (uid, uid))
        os.fsync(state)


for account in range(int(sys.argv[2])):
    threading.Thread(target=fetch, args=(account,), daemon=True).start()
threading.Event().wait()
