"""A broker that keeps messages in memory until its consumer has taken them; from /tmp/go on the consumer takes none. It would block publishers at
40 % of the memory of the host."""
import os
import socket
import threading
import time

open("/proc/self/comm", "w").write("beam.smp")
LIMIT = os.sysconf("SC_PHYS_PAGES") * 4096 * 0.4
queue, held = [], 0
if os.path.exists("/tmp/amqp"):
    os.remove("/tmp/amqp")
door = socket.socket(socket.AF_UNIX)
door.bind("/tmp/amqp")
door.listen(16)


def publisher(peer):
    global held
    stream = peer.makefile("rb")
    while head := stream.read(8):
        body = stream.read(int(head))
        while held > LIMIT:
            time.sleep(0.1)
        held += len(body)
        queue.append(body)
        peer.send(b"c")


def consumer():
    global held
    while True:
        time.sleep(0.2)
        while queue and not os.path.exists("/tmp/go"):
            held -= len(queue.pop())


threading.Thread(target=consumer, daemon=True).start()
while True:
    threading.Thread(target=publisher, args=(door.accept()[0],), daemon=True).start()
