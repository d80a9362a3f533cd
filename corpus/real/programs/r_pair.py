"""Two workers, each of which renders ten pages a second that take 70 ms of a CPU."""
import os
import time


def work(count):
    value = 1
    for n in range(count):
        value = value * 31 % 1000003


began, count = time.process_time(), 0
while time.process_time() - began < 1:
    work(1000)
    count += 1000
get, put = os.pipe()
for _ in range(2):
    if os.fork() == 0:
        due = time.time()
        while True:
            began = time.time()
            work(int(count * 0.07))
            os.write(put, b"%016.6f" % (time.time() - began))
            due = max(due + 0.1, time.time() - 0.1)
            time.sleep(max(0, due - time.time()))
done, took, now = 0, 0.0, int(time.time())
while True:
    took += float(os.read(get, 16))
    done += 1
    if int(time.time()) != now:
        print(now, done, round(took / done * 1000, 1), flush=True)
        done, took, now = 0, 0.0, int(time.time())
