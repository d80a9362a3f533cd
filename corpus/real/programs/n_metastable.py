"""One thread serves 20 requests a second of 20 ms of a CPU each, in order; a client gives up after 1 s and asks again, up to four times, and what it
gave up is computed all the same. When /tmp/go exists the thread stands still once for 5 s. Prints the answers that came in time."""
import collections
import os
import time


def work(count):
    value = 1
    for _ in range(count):
        value = value * 31 % 1000003


began, count = time.process_time(), 0
while time.process_time() - began < 0.5:
    work(1000)
    count += 1000
each = count // 25
queue, clients, stood = collections.deque(), collections.deque(), False
done, took, now, due = 0, 0.0, int(time.time()), time.time()


def send(entry):
    if len(queue) < 300:
        queue.append(entry)
    clients.append(entry)


while True:
    if not stood and os.path.exists("/tmp/go"):
        time.sleep(5)
        stood = True
    clock = time.time()
    while due <= clock:
        send([due, 1, False])
        due += 0.05
    while clients and clients[0][0] + 1 <= clock:
        sent, attempt, answered = clients.popleft()
        if not answered and attempt < 4:
            send([sent + 1, attempt + 1, False])
    if queue:
        entry = queue.popleft()
        work(each)
        late = time.time() - entry[0]
        if late < 1:
            entry[2] = True
            done, took = done + 1, took + late
    else:
        time.sleep(0.004)
    if int(time.time()) != now:
        print(now, done, *([round(took / done * 1000, 1)] if done else []), flush=True)
        done, took, now = 0, 0.0, int(time.time())
