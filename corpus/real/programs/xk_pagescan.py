"""Maps files, one after the other and over and over, and looks at each page of them, which is a major fault each, with a short rest every two pages.
Arguments: the files."""
import mmap
import os
import sys
import time

with open("/proc/self/comm", "w") as name:
    name.write("pagescan")
while True:
    for path in sys.argv[1:]:
        file = os.open(path, os.O_RDONLY)
        with mmap.mmap(file, 0, prot=mmap.PROT_READ) as pages:
            pages.madvise(mmap.MADV_RANDOM)
            for at in range(0, len(pages), 4096):
                pages[at]
                if at & 4096:
                    time.sleep(0.002)
        os.close(file)
