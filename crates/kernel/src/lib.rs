//! What the kernel says: procfs, sysfs, cgroup v1 and v2, PSI
