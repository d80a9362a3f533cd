//! Switches of the model's mechanisms.

macro_rules! mechanisms {
    ($($(#[$doc:meta])* $name:ident,)+) => {
        /// Which mechanisms run. All do on a machine as it is; tests switch one off to show what it decides.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub struct Mechanisms {
            $($(#[$doc])* pub $name: bool,)+
        }

        impl Default for Mechanisms {
            fn default() -> Self {
                Self { $($name: true,)+ }
            }
        }

        impl Mechanisms {
            /// Names of all switches.
            pub const NAMES: &'static [&'static str] = &[$(stringify!($name)),+];

            /// All but one, which is named as in [`Self::NAMES`].
            pub fn without(name: &str) -> Option<Self> {
                let mut all = Self::default();
                match name {
                    $(stringify!($name) => all.$name = false,)+
                    _ => return None,
                }
                Some(all)
            }
        }
    };
}

mechanisms! {
    /// Shadow entries and the refault distance (`mm/workingset.c`).
    shadows,
    /// A fault maps the cached pages around it (`mm/filemap.c: filemap_map_pages`).
    fault_around,
    /// The second use of a page activates it (`mm/swap.c: folio_mark_accessed`).
    second_touch,
    /// The rate of throttled writers follows the distance from the setpoint (`mm/page-writeback.c: wb_position_ratio`).
    position_ratio,
    /// The write bandwidth of a device is estimated (`mm/page-writeback.c: wb_update_write_bandwidth`).
    bandwidth_estimate,
    /// The dirty limit falls slowly (`mm/page-writeback.c: update_dirty_limit`).
    slow_dirty_limit,
    /// Pages that are swapped out stay until the write has ended (`mm/vmscan.c: shrink_folio_list`).
    asynchronous_swap_out,
    /// kswapd reclaims by the sum of the high watermarks (`mm/vmscan.c: kswapd_shrink_node`).
    kswapd_batch,
    /// Lists are deactivated when refaults are activated (`mm/vmscan.c: prepare_scan_count`).
    deactivate_on_refault,
    /// Scans of anonymous and file pages follow their cost (`mm/vmscan.c: get_scan_count`).
    cost_balance,
    /// Swap is read ahead in clusters (`mm/swap_state.c: swap_cluster_readahead`).
    swap_readahead,
    /// Each control group has its own lists (`mm/vmscan.c: shrink_node_memcgs`).
    group_lists,
    /// Lower zones keep a reserve (`mm/page_alloc.c: setup_per_zone_lowmem_reserve`).
    lowmem_reserve,
    /// The index of the page cache and the heads of its blocks take memory (`lib/xarray.c`, `fs/buffer.c`).
    cache_index,
    /// Reclaim frees index nodes that hold only shadows (`mm/workingset.c: scan_shadow_nodes`).
    shadow_shrinker,
    /// A device's share of the dirty threshold follows its completions (`mm/page-writeback.c: __wb_calc_thresh`).
    device_share,
    /// Dirty pages are written when they expire (`fs/fs-writeback.c: wb_check_old_data_flush`).
    expiry,
    /// The background threshold starts the flusher (`fs/fs-writeback.c: wb_over_bg_thresh`).
    background_threshold,
    /// Sequential reads are read ahead (`mm/readahead.c: ondemand_readahead`).
    readahead,
}
