//! Block devices: `/proc/diskstats`, fields as in the kernel's Documentation/admin-guide/iostats.rst;
//! md arrays as in Documentation/admin-guide/md.rst.

metrics! {
    Disk;
    "/proc/diskstats" {
        "reads" Counter Count "reads completed"
        "read_merges" Counter Count "reads merged with an adjacent one before submission"
        "read_sectors" Counter Sectors "sectors of 512 bytes read"
        "read_ms" Counter Millis "time spent reading, summed over all requests"
        "writes" Counter Count "writes completed"
        "write_merges" Counter Count "writes merged with an adjacent one before submission"
        "write_sectors" Counter Sectors "sectors of 512 bytes written"
        "write_ms" Counter Millis "time spent writing, summed over all requests"
        "in_flight" Gauge Count "requests sent and not yet completed"
        "io_ms" Counter Millis "time during which at least one request was in flight"
        "weighted_io_ms" Counter Millis "time in flight summed over requests; its rate is the mean queue depth"
        "discards" Counter Count "discards completed (since Linux 4.18)"
        "discard_merges" Counter Count "discards merged (since Linux 4.18)"
        "discard_sectors" Counter Sectors "sectors discarded (since Linux 4.18)"
        "discard_ms" Counter Millis "time spent discarding (since Linux 4.18)"
        "flushes" Counter Count "cache flushes completed (since Linux 5.5)"
        "flush_ms" Counter Millis "time spent flushing (since Linux 5.5)"
    }
    "/sys/block" {
        "physical" Gauge Count "1 for a device of its own; 0 for a partition, loop, zram, md or dm device (sysstat's is_device)"
    }
    "/sys/block/mdX/md/sync_action" {
        "md_sync_action" Gauge Count "sync_action of an md array: 0 idle, 1 resync, 2 recover, 3 check, 4 repair, 5 reshape, 6 frozen, 7 another"
    }
    "/sys/block/mdX/md/sync_completed" {
        "md_sync_completed" Gauge Sectors "sectors of each member that resync, recovery or check has finished; absent when there is none"
        "md_sync_total" Gauge Sectors "sectors of each member that it has to process; absent when there is none"
    }
    "/sys/block/mdX/md/sync_speed" {
        "md_sync_speed" Gauge BytesPerSecond "its speed over the last 30 s; absent when there is none"
    }
    "/sys/block/mdX/md/degraded" {
        "md_degraded" Gauge Count "members missing from the array"
    }
}
