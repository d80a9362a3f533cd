"""A proxy of a mesh with four workers: idle, and from when /tmp/go exists each formats lines for its debug log all the time."""
import os
import time

with open("/proc/self/comm", "w") as name:
    name.write("envoy")
for _ in range(3):
    if os.fork() == 0:
        break
while not os.path.exists("/tmp/go"):
    time.sleep(0.3)
headers, n = {f"x-header-{n}": "v" * 30 for n in range(30)}, 0
while True:
    n += 1
    line = "\n".join(f"[debug] [{n}] {key}: {value}" for key, value in headers.items())
