//! Event counters, as `/proc/vmstat` names them. They only grow.

macro_rules! events {
    ($($(#[$doc:meta])* $name:ident,)+) => {
        /// What happened since boot.
        #[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
        pub(crate) struct Events {
            $($(#[$doc])* pub(crate) $name: u64,)+
        }

        impl Events {
            /// All of them by name.
            pub(crate) fn each(&self) -> impl Iterator<Item = (&'static str, u64)> {
                [$((stringify!($name), self.$name)),+].into_iter()
            }
        }
    };
}

events! {
    /// Pages dirtied.
    nr_dirtied,
    /// Pages written back.
    nr_written,
    /// KiB read from devices.
    pgpgin,
    /// KiB written to devices.
    pgpgout,
    /// Pages swapped in.
    pswpin,
    /// Pages swapped out.
    pswpout,
    /// Pages freed.
    pgfree,
    /// Pages activated.
    pgactivate,
    /// Pages deactivated.
    pgdeactivate,
    /// Faults.
    pgfault,
    /// Faults that read a device.
    pgmajfault,
    /// Pages scanned by kswapd.
    pgscan_kswapd,
    /// Pages scanned by direct reclaim.
    pgscan_direct,
    /// Pages reclaimed by kswapd.
    pgsteal_kswapd,
    /// Pages reclaimed by direct reclaim.
    pgsteal_direct,
    /// Anonymous pages scanned.
    pgscan_anon,
    /// File pages scanned.
    pgscan_file,
    /// Anonymous pages reclaimed.
    pgsteal_anon,
    /// File pages reclaimed.
    pgsteal_file,
    /// Slab objects scanned.
    slabs_scanned,
    /// Times kswapd ran.
    pageoutrun,
    /// Times the low watermark was hit soon after kswapd slept.
    kswapd_low_wmark_hit_quickly,
    /// Times the high watermark was missed soon after kswapd slept.
    kswapd_high_wmark_hit_quickly,
    /// Direct reclaims.
    allocstall_movable,
    /// Anonymous refaults.
    workingset_refault_anon,
    /// File refaults.
    workingset_refault_file,
    /// Anonymous refaults activated.
    workingset_activate_anon,
    /// File refaults activated.
    workingset_activate_file,
    /// Anonymous refaults that had been active.
    workingset_restore_anon,
    /// File refaults that had been active.
    workingset_restore_file,
    /// Shadow nodes reclaimed.
    workingset_nodereclaim,
    /// Times the page cache was dropped.
    drop_pagecache,
    /// Times the slab was dropped.
    drop_slab,
    /// Tasks killed by the OOM killer.
    oom_kill,
    /// Pages read ahead from swap.
    swap_ra,
    /// Pages read ahead from swap that were used.
    swap_ra_hit,
}
