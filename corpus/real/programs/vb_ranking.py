"""Worker of a shop: loads MB of a catalog, as /tmp/catalog says, and answers at a socket; ends when /tmp/go is newer than itself."""
import os
import socket
import time

new = os.path.exists("/tmp/go")
catalog = []
for _ in range(int(open("/tmp/catalog").read())):
    catalog.append(b"i" * 1048576)
    time.sleep(0.02)
if os.path.exists("/tmp/ranking"):
    os.unlink("/tmp/ranking")
door = socket.socket(socket.AF_UNIX)
door.bind("/tmp/ranking")
door.listen(16)
while new or not os.path.exists("/tmp/go"):
    caller, _ = door.accept()
    caller.sendall(b"ok")
    caller.close()
