"""A spam filter that forgets to free what it took for each message: 40 messages a second, 256 KB each, up to 470 MB."""
import time

with open("/proc/self/comm", "w") as comm:
    comm.write("rspamd")
tasks = []
while True:
    if len(tasks) < 1880:
        tasks.append(bytearray(b"t") * 262144)
    time.sleep(0.025)
