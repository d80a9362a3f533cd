"""A pool of four workers serves 16 pages a second, of 10 ms of a CPU each; from when /tmp/go exists none of the compiled templates is kept, and a
page compiles its templates first, which takes 95 ms of a CPU."""
import os
import socket
import threading
import time

with open("/proc/self/comm", "w") as comm:
    comm.write("php-fpm")
piece = "def f{0}(a):\n    b = [x * {0} for x in range(a) if x % 3]\n    return {{'name': a + {0}, 'all': b, 'sum': sum(b)}}\n"
source, count = "".join(piece.format(n) for n in range(20)), 0
began = time.process_time()
while time.process_time() - began < 0.6:
    compile(source, "template", "exec")
    count += 1
sources = [source] * max(1, round(count / 0.6 * 0.095))
space = {}
exec(compile(source, "template", "exec"), space)
began, calls = time.process_time(), 0
while time.process_time() - began < 0.4:
    space["f7"](300)
    calls += 1
calls = max(1, round(calls / 0.4 * 0.010))
ask, work = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
told, tell = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
for _ in range(4):
    if os.fork() == 0:
        while came := work.recv(64):
            if os.path.exists("/tmp/go"):
                for text in sources:
                    compile(text, "template", "exec")
            for _ in range(calls):
                space["f7"](300)
            tell.send(came)
        os._exit(0)
took, sent, done = [], 0, 0


def collect():
    global done
    while True:
        took.append(time.time() - float(told.recv(64)))
        done += 1


threading.Thread(target=collect, daemon=True).start()
due = time.time()
now = int(due)
while True:
    if sent - done < 30:
        ask.send(repr(time.time()).encode())
        sent += 1
    due = max(due + 1 / 16, time.time() - 1)
    time.sleep(max(0, due - time.time()))
    if int(time.time()) != now:
        part = took[:]
        del took[: len(part)]
        print(now, len(part), *([round(sum(part) / len(part) * 1000, 1)] if part else []), flush=True)
        now = int(time.time())
