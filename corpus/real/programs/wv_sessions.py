"""A session manager of a host of tenants. Mounts so many folders of tenants, and when /tmp/go exists makes a mount namespace for each new session, with a copy
of all mounts, and forgets to let go of it. Arguments: the mounts, the namespaces."""
import ctypes
import os
import sys
import time

with open("/proc/self/comm", "w") as name:
    name.write("sessionmgr")
libc = ctypes.CDLL(None, use_errno=True)


def mount(source, target, kind, flags):
    if libc.mount(source.encode(), target.encode(), kind.encode(), flags, None):
        raise OSError(ctypes.get_errno(), target)


os.makedirs("/mnt/tenants", exist_ok=True)
mount("tenants", "/mnt/tenants", "tmpfs", 0)
os.mkdir("/mnt/tenants/all")
for tenant in range(int(sys.argv[1])):
    os.mkdir(f"/mnt/tenants/{tenant}")
    # MS_BIND
    mount("/mnt/tenants/all", f"/mnt/tenants/{tenant}", "none", 4096)
print("mounted", flush=True)
while not os.path.exists("/tmp/go"):
    time.sleep(0.1)
held = []
for _ in range(int(sys.argv[2])):
    # CLONE_NEWNS
    if libc.unshare(0x20000):
        raise OSError(ctypes.get_errno(), "unshare")
    held.append(os.open("/proc/self/ns/mnt", os.O_RDONLY))
    time.sleep(0.01)
time.sleep(10000)
