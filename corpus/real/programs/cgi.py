"""A web server that forks a process for each of ten requests a second; prints in each second how many it served, and 0 when it cannot fork."""
import os
import time

done, took, now = 0, 0, int(time.time())
while True:
    began = time.time()
    try:
        child = os.fork()
        if not child:
            os._exit(0)
        os.waitpid(child, 0)
        done, took = done + 1, took + time.time() - began
    except OSError:
        pass
    time.sleep(max(0, began + 0.1 - time.time()))
    if int(time.time()) != now:
        print(now, done, *([round(took / done * 1000, 1)] if done else []), flush=True)
        done, took, now = 0, 0, int(time.time())
