"""Six programs compute hashes."""
import hashlib

while True:
    hashlib.pbkdf2_hmac("sha256", b"secret", b"salt", 100000)
