"""A virtual machine and its user. The machine (a process of its own, `kvm`) holds MiB of memory, and touches 20 of its pages for each request; the
user sends 20 requests a second, waits for ever once the machine is dead, and prints clock, requests and ms of each. Argument: the MiB."""
import os
import random
import socket
import sys
import time

import g_steady

user, machine = socket.socketpair()
if os.fork() == 0:
    user.close()
    with open("/proc/self/comm", "w") as comm:
        comm.write("kvm")
    memory = bytearray(b"\x5a") * (int(sys.argv[1]) << 20)
    while machine.recv(1):
        for _ in range(20):
            memory[random.randrange(len(memory))] = 7
        machine.send(b"a")
    sys.exit()
machine.close()


def request():
    try:
        user.send(b"q")
        if user.recv(1):
            return
    except OSError:
        pass
    while True:
        time.sleep(1000)


g_steady.serve(request, 20)
