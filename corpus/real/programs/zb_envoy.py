"""A proxy beside a pod: holds a configuration of 5 MB. From when /tmp/go exists it is sent that of every service of the mesh, and keeps it: 2 MB a second,
until little cache is left."""
import os
import time

import room

with open("/proc/self/comm", "w") as name:
    name.write("envoy")
routes = [bytearray(b"r") * (5 << 20)]
while True:
    if os.path.exists("/tmp/go") and room.files() > 45:
        routes.append(bytearray(b"r") * (1 << 20))
    time.sleep(0.5)
