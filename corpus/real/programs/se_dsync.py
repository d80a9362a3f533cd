"""Replicates mailboxes: so many processes that each append one mail after the other to a file of mails and sync it, then a record to its index and sync
that. Arguments: the folder, the processes."""
import os
import sys

with open("/proc/self/comm", "w") as name:
    name.write("doveadm")
os.makedirs(sys.argv[1], exist_ok=True)
user = 0
for other in range(1, int(sys.argv[2])):
    if os.fork() == 0:
        user = other
        break
mails = os.open(f"{sys.argv[1]}/m.{user}", os.O_CREAT | os.O_WRONLY | os.O_APPEND)
index = os.open(f"{sys.argv[1]}/dovecot.map.{user}", os.O_CREAT | os.O_WRONLY | os.O_APPEND)
mail = os.urandom(9000)
while True:
    os.write(mails, mail)
    os.fsync(mails)
    os.write(index, mail[:64])
    os.fsync(index)
