"""The message bus of a host of desktops: sends each notice of 3.7 KB to all sessions, whose programs are suspended and read nothing; what a session has
not read stays in its socket in the kernel, 200 KB each. Argument: the sessions. Prints nothing."""
import os
import resource
import socket
import sys
import time

with open("/proc/self/comm", "w") as comm:
    comm.write("dbus-daemon")
sessions = int(sys.argv[1])
resource.setrlimit(resource.RLIMIT_NOFILE, (sessions * 2 + 100, sessions * 2 + 100))
pairs = [socket.socketpair() for _ in range(sessions)]
waiting, notice = [bus.fileno() for bus, _ in pairs], b"n" * 3700
for one in waiting:
    os.set_blocking(one, False)
while waiting:
    left = []
    for one in waiting:
        try:
            os.write(one, notice)
            left.append(one)
        except BlockingIOError:
            pass
    waiting = left
time.sleep(10000)
