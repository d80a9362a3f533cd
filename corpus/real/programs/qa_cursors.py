"""A server of documents whose clients open cursors without a timeout and never close them: it keeps the first batch of each, 4 MB, two new ones a second, until
it has MB of them. Argument: the MB."""
import sys
import time

with open("/proc/self/comm", "w") as name:
    name.write("cursord")
cursors, batch, due = [], b"document" * 512, time.time()
while True:
    if len(cursors) * 4 < int(sys.argv[1]):
        cursors.append(bytearray(batch) * 1024)
    due += 0.5
    time.sleep(max(0, due - time.time()))
