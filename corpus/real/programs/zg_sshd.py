"""An ssh server under a brute force attack: for each of some connections at a time it forks a process that exchanges keys and checks a password, and ends.
Argument: the connections."""
import hashlib
import os
import sys

with open("/proc/self/comm", "w") as name:
    name.write("sshd")
prime = (1 << 2048) - 1942289


def connection():
    pow(5, int.from_bytes(os.urandom(256), "big"), prime)
    hashlib.pbkdf2_hmac("sha512", b"admin123", os.urandom(16), 5000)
    os._exit(0)


running = 0
while True:
    while running < int(sys.argv[1]):
        if os.fork() == 0:
            connection()
        running += 1
    os.wait()
    running -= 1
