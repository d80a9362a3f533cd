//! Zones, nodes and watermarks (`mm/page_alloc.c`).

use crate::PAGE_SIZE;
use crate::machine::MachineSpec;
use pagetide_core::HugePages;

/// What part of the address space a zone is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum ZoneKind {
    /// The first 16 MiB.
    Dma,
    /// Up to 4 GiB.
    Dma32,
    /// The rest.
    Normal,
}

/// Kinds of zones.
pub(crate) const ZONE_KINDS: usize = ZoneKind::Normal as usize + 1;

impl ZoneKind {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Dma => "DMA",
            Self::Dma32 => "DMA32",
            Self::Normal => "Normal",
        }
    }

    /// `lowmem_reserve_ratio`.
    const fn reserve_ratio(self) -> u64 {
        match self {
            Self::Dma | Self::Dma32 => 256,
            Self::Normal => 32,
        }
    }
}

/// A zone of a node. Amounts are pages.
#[derive(Debug, Clone)]
pub(crate) struct Zone {
    pub(crate) node: usize,
    pub(crate) kind: ZoneKind,
    pub(crate) managed: u64,
    pub(crate) free: u64,
    pub(crate) min: u64,
    pub(crate) low: u64,
    pub(crate) high: u64,
    /// Reserve against allocations that could use any higher zone.
    pub(crate) reserve: u64,
}

impl Zone {
    /// Whether an allocation leaves more free than `mark` (`__zone_watermark_ok` of order 0).
    pub(crate) const fn above(&self, mark: u64) -> bool {
        self.free > mark + self.reserve
    }
}

/// Pages of ZONE_DMA that a PC's kernel manages.
const DMA_PAGES: u64 = 3840;
/// A PC with more memory than this has what is above 3 GiB beyond 4 GiB, in ZONE_NORMAL (QEMU, `hw/i386/pc_piix.c`).
const SPLIT_ABOVE: u64 = 0xe000_0000 / PAGE_SIZE;
const BELOW_SPLIT: u64 = (3 << 30) / PAGE_SIZE;
/// Pages below 4 GiB that the kernel's image and boot memory take.
const BOOT_PAGES: u64 = 8192;
/// Pages in a block of the page allocator (`pageblock_nr_pages`).
const PAGEBLOCK: u64 = 512;
/// `MIGRATE_PCPTYPES`.
const PCP_TYPES: u64 = 3;

/// The zones of a machine, lowest first within each node.
pub(crate) fn zones(spec: &MachineSpec) -> Vec<Zone> {
    let total = spec.memory.get() / PAGE_SIZE;
    let nodes = u64::from(spec.nodes);
    let mut zones = Vec::new();
    let mut push = |node, kind, managed| {
        if managed > 0 {
            zones.push(Zone { node, kind, managed, free: managed, min: 0, low: 0, high: 0, reserve: 0 });
        }
    };
    for node in 0..spec.nodes as usize {
        let mut left = total / nodes + if node == 0 { total % nodes } else { 0 };
        if node == 0 {
            let dma = DMA_PAGES.min(left);
            push(node, ZoneKind::Dma, dma);
            left -= dma;
            let below = if total + BOOT_PAGES > SPLIT_ABOVE { BELOW_SPLIT - DMA_PAGES - BOOT_PAGES } else { left };
            let dma32 = below.min(left);
            push(node, ZoneKind::Dma32, dma32);
            left -= dma32;
        }
        push(node, ZoneKind::Normal, left);
    }
    zones
}

/// Sets reserves and watermarks (`setup_per_zone_lowmem_reserve`, `__setup_per_zone_wmarks`) and gives `totalreserve_pages`.
pub(crate) fn set_watermarks(zones: &mut [Zone], spec: &MachineSpec) -> u64 {
    for at in 0..zones.len() {
        let higher: u64 = zones
            .iter()
            .filter(|zone| zone.node == zones[at].node && zone.kind > zones[at].kind)
            .map(|z| z.managed)
            .sum();
        zones[at].reserve = if spec.mechanisms.lowmem_reserve { higher / zones[at].kind.reserve_ratio() } else { 0 };
    }
    let lowmem: u64 = zones.iter().map(|zone| zone.managed).sum();
    let min_pages = min_free_kbytes(zones, spec) >> 2;
    for zone in &mut *zones {
        let share = (u128::from(min_pages) * u128::from(zone.managed) / u128::from(lowmem.max(1))) as u64;
        let gap = (share >> 2).max(zone.managed * spec.sysctls.watermark_scale_factor / 10_000);
        zone.min = share;
        zone.low = share + gap;
        zone.high = share + 2 * gap;
    }
    zones.iter().map(|zone| (zone.high + zone.reserve).min(zone.managed)).sum()
}

/// `vm.min_free_kbytes`: as set, else `calculate_min_free_kbytes`, raised by khugepaged where huge pages are on
/// (`mm/khugepaged.c: set_recommended_min_free_kbytes`).
pub(crate) fn min_free_kbytes(zones: &[Zone], spec: &MachineSpec) -> u64 {
    if spec.sysctls.min_free_kbytes != 0 {
        let most: u64 = zones.iter().map(|zone| zone.managed).sum::<u64>() * 4 / 2;
        return spec.sysctls.min_free_kbytes.min(most);
    }
    let managed: u64 = zones.iter().map(|zone| zone.managed).sum();
    let least = (managed * 4 * 16).isqrt().clamp(128, 262_144);
    if spec.huge_pages == HugePages::Never {
        return least;
    }
    let wanted = PAGEBLOCK * zones.len() as u64 * (2 + PCP_TYPES * PCP_TYPES);
    // `nr_free_buffer_pages` is what is above the high watermarks of `least`.
    let high: u64 = zones
        .iter()
        .map(|zone| {
            let share = (least >> 2) * zone.managed / managed.max(1);
            share + 2 * (share >> 2).max(zone.managed * spec.sysctls.watermark_scale_factor / 10_000)
        })
        .sum();
    least.max(wanted.min(managed.saturating_sub(high) / 20) * 4)
}

/// The watermark for promotion.
pub(crate) const fn promo(zone: &Zone) -> u64 {
    zone.high + (zone.high - zone.low)
}

#[cfg(test)]
mod tests {
    use super::*;
    use pagetide_core::Bytes;

    fn machine(mib: u64) -> MachineSpec {
        MachineSpec::new(2, Bytes::new(mib << 20))
    }

    #[test]
    fn watermarks_are_the_kernels() {
        // A host of 23.5 GiB with huge pages has min_free_kbytes = 512 * 3 * 11 pages = 67584 KiB.
        let mut spec = machine(24_000);
        spec.huge_pages = HugePages::Always;
        assert_eq!(min_free_kbytes(&zones(&spec), &spec), 67_584);
        // Without them it is the square root: 229 MiB of memory.
        let spec = machine(229);
        let mut zones = zones(&spec);
        assert_eq!(min_free_kbytes(&zones, &spec), (229_u64 * 1024 * 16).isqrt());
        let reserve = set_watermarks(&mut zones, &spec);
        let [dma, dma32] = &zones[..] else { panic!("{zones:?}") };
        assert_eq!(dma.reserve, dma32.managed / 256);
        assert_eq!(dma32.high - dma32.low, dma32.low - dma32.min);
        assert_eq!(reserve, dma.high + dma.reserve + dma32.high);
    }

    #[test]
    fn zones_hold_all_memory() {
        for mib in [32, 100, 229, 3_000, 3_664, 4_096, 262_144] {
            for nodes in [1, 2, 4] {
                let spec = MachineSpec { nodes, ..machine(mib) };
                let zones = zones(&spec);
                assert_eq!(zones.iter().map(|zone| zone.managed).sum::<u64>(), mib * 256, "{zones:?}");
                assert!(zones.iter().all(|zone| zone.managed > 0));
            }
        }
    }
}
