"""An agent that allows or denies each opening of a file below /data (fanotify): at once, and from when /tmp/go exists after it has asked a
service of its vendor, which takes 60 ms."""
import ctypes
import os
import struct
import time

with open("/proc/self/comm", "w") as name:
    name.write("avd")
libc = ctypes.CDLL(None, use_errno=True)
# FAN_CLASS_CONTENT; FAN_MARK_ADD and FAN_MARK_MOUNT, FAN_OPEN_PERM, AT_FDCWD
watch = libc.fanotify_init(4, os.O_RDONLY)
marked = libc.fanotify_mark(watch, ctypes.c_uint(0x11), ctypes.c_uint64(0x10000), -100, b"/data")
print("watches" if watch >= 0 and marked == 0 else f"failed: {ctypes.get_errno()}", flush=True)
asks = False
while True:
    events, at = os.read(watch, 4096), 0
    while at < len(events):
        length, _, _, _, _, file, _ = struct.unpack_from("=IBBHQii", events, at)
        asks = asks or os.path.exists("/tmp/go")
        if asks:
            time.sleep(0.06)
        os.write(watch, struct.pack("=iI", file, 1))
        os.close(file)
        at += length
