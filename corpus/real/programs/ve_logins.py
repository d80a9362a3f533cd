"""Ten logins a second: each makes a session file, reads it and, as the test user logs out, removes it. A login that fails does not count. Argument: the folder."""
import os
import sys
import time

done, took, now, number = 0, 0.0, int(time.time()), 0
while True:
    began, number = time.time(), number + 1
    name = f"{sys.argv[1]}/login{number}"
    try:
        with open(name, "wb") as file:
            file.write(b"s" * 900)
        with open(name, "rb") as file:
            file.read()
        os.unlink(name)
        done, took = done + 1, took + time.time() - began
    except OSError:
        pass
    time.sleep(max(0, 0.1 - time.time() + began))
    if int(time.time()) != now:
        print(now, done, *([round(took / done * 1000, 1)] if done else []), flush=True)
        done, took, now = 0, 0.0, int(time.time())
