"""Checks eight passwords a second; the hash takes 60 ms of a CPU."""
import hashlib
import time

import g_steady

rounds, took = 200, 0.0
while took < 0.06:
    rounds = rounds * 5 // 4
    began = time.process_time()
    hashlib.pbkdf2_hmac("sha256", b"secret", b"salt", rounds)
    took = time.process_time() - began
g_steady.serve(lambda: hashlib.pbkdf2_hmac("sha256", b"secret", b"salt", rounds), 8)
