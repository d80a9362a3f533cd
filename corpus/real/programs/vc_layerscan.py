"""A scanner of images reads the layers of the base image from first to last, again for each job; 20 MB a second are wanted. From when
/tmp/rebased exists the base image also has the layers of the second folder. Arguments: two folders."""
import os
import sys

import pace


def megabytes():
    while True:
        folders = sys.argv[1:3] if os.path.exists("/tmp/rebased") else sys.argv[1:2]
        for folder in folders:
            for name in sorted(os.listdir(folder)):
                with open(f"{folder}/{name}", "rb", buffering=0) as layer:
                    while data := layer.read(1 << 20):
                        yield len(data)


scan = megabytes()
pace.serve(lambda: next(scan), interval=0.05)
