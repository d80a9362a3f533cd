"""A consumer group goes back by 80 MB of a topic and reads them again, at 15 MB a second, again and again."""
import time

open("/proc/self/comm", "w").write("consumer")
with open("/data/topic.log", "rb", 0) as log:
    due = time.time()
    while True:
        log.seek(-80000000, 2)
        for _ in range(320):
            log.read(250000)
            due = max(due + 1 / 60, time.time() - 0.2)
            time.sleep(max(0, due - time.time()))
