"""A store of rows: 25 requests a second, each ten blocks out of its file's first 80 MB. From when /tmp/go exists the same rows are spread over 400 MB,
as they are no longer compressed. All of it was read before."""
import os

import g_steady
import h_hot

with open("/proc/self/comm", "w") as name:
    name.write("rowcol")
plain, packed = h_hot.Hot("/data/map/data.mdb", 400), h_hot.Hot("/data/map/data.mdb", 80)
g_steady.serve(lambda: (plain if os.path.exists("/tmp/go") else packed).read(10), 25)
