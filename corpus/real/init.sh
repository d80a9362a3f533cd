#!/bin/sh
# The init of a guest: mounts what record.py attached, and starts the guest.sh that came with the case.
export PATH=/usr/sbin:/usr/bin:/sbin:/bin
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t devtmpfs dev /dev 2>/dev/null
mount -t tmpfs tmp /tmp
mount -t tmpfs run /run
mkdir -p /dev/shm /dev/pts
mount -t tmpfs shm /dev/shm
mount -t cgroup2 cg /sys/fs/cgroup
mount /dev/vdb /data
mount /dev/vdc /bulk
mount /dev/vdd /rec
exec sh /rec/guest.sh
