"""The file server of a small cloud: 12 requests a second, each reads blocks of 4 KB at random of the first MB of a file that it has read twice before.
Arguments: the MB, the blocks."""
import sys

import h_hot
import vd_desk

with open("/proc/self/comm", "w") as name:
    name.write("php-files")
files = h_hot.Hot("/data/lite.db", int(sys.argv[1]))
vd_desk.serve(lambda: files.read(int(sys.argv[2])), 12, 3)
