"""Takes ten logins a second, each of 5 ms of a CPU for the salted hash; from when /tmp/go exists the hash has sixty times the iterations."""
import hashlib
import os
import time

import vd_desk

with open("/proc/self/comm", "w") as name:
    name.write("pgauth")
iterations, took = 200, 0.0
while took < 0.02:
    iterations = iterations * 3 // 2
    began = time.process_time()
    hashlib.pbkdf2_hmac("sha256", b"secret", b"salt" * 4, iterations)
    took = time.process_time() - began
few = max(1, int(iterations * 0.005 / took))


def login():
    hashlib.pbkdf2_hmac("sha256", b"secret", os.urandom(16), few * 60 if os.path.exists("/tmp/go") else few)


vd_desk.serve(login, 10, 4)
