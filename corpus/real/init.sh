#!/bin/sh
# The init of a guest: mounts the disks that record.py attached, and runs the guest.sh on one of them.
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
