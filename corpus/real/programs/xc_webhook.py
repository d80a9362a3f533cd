"""The remote end of a webhook: answers in 5 ms, and in 600 ms from when /tmp/go exists."""
import os
import socket
import time

door = socket.socket(socket.AF_UNIX)
door.bind("/tmp/webhook")
door.listen(16)
while True:
    caller, _ = door.accept()
    time.sleep(0.6 if os.path.exists("/tmp/go") else 0.005)
    try:
        caller.sendall(b"allowed")
    except OSError:
        pass
    caller.close()
