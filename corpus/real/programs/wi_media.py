"""A server of small pictures: 15 requests a second, each reads blocks of 4 KB at random from the first MB of a file that it has read twice before.
Arguments: name of the process, the file, the MB, the blocks."""
import sys

import h_hot
import vd_desk

with open("/proc/self/comm", "w") as name:
    name.write(sys.argv[1])
hot = h_hot.Hot(sys.argv[2], int(sys.argv[3]))
vd_desk.serve(lambda: hot.read(int(sys.argv[4])), 15)
