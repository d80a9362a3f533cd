"""Builds layers of an image: reads files at a rate, and writes each 48 MB of them to a layer that replaces the one before. Arguments: MB/s, the folder, the files."""
import os
import sys
import time

with open("/proc/self/comm", "w") as name:
    name.write("kaniko")
os.makedirs(sys.argv[2], exist_ok=True)
began, done, layer = time.time(), 0, None
while True:
    for path in sys.argv[3:]:
        with open(path, "rb", buffering=0) as file:
            while part := file.read(1 << 20):
                if done % 48 == 0:
                    if layer:
                        layer.close()
                    layer = open(f"{sys.argv[2]}/layer{done // 48 % 2}", "wb", buffering=0)
                layer.write(part)
                done += 1
                time.sleep(max(0, began + done / float(sys.argv[1]) - time.time()))
