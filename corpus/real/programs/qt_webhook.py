"""A controller that answers an admission webhook. At its start it lists all pods: 30 MB decoded, or 180 MB where /tmp/pods exists (completed jobs that
nobody deleted), of which it then keeps 20 MB; after that it answers. Argument: the socket."""
import os
import socket
import sys
import time

with open("/proc/self/comm", "w") as name:
    name.write("albcontroller")
with open("/tmp/webhook.pid", "w") as file:
    file.write(str(os.getpid()))
decoded = []
for _ in range(180 if os.path.exists("/tmp/pods") else 30):
    decoded.append(bytearray(b"d") * (1 << 20))
    time.sleep(0.02)
del decoded[20:]
if os.path.exists(sys.argv[1]):
    os.unlink(sys.argv[1])
door = socket.socket(socket.AF_UNIX)
door.bind(sys.argv[1])
door.listen(4)
while True:
    asker = door.accept()[0]
    try:
        asker.recv(1)
        asker.sendall(b"!")
    except OSError:
        pass
    asker.close()
