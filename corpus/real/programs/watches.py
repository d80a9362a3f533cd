"""An editor watches all files of a folder (inotify). Argument: the folder."""
import ctypes
import os
import sys
import time

libc = ctypes.CDLL(None)
notify = libc.inotify_init()
for folder, _, names in os.walk(sys.argv[1]):
    for name in names:
        libc.inotify_add_watch(notify, os.path.join(folder, name).encode(), 0x3C6)
time.sleep(1e6)
