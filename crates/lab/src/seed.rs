//! Seeds. Everything that a run chooses at random comes from the run's one seed.

/// The seed of what is called `name` within a run: another one for each name and each run's seed (FNV-1a, then the finalizer of
/// SplitMix64).
pub(crate) fn derive(seed: u64, name: &str) -> u64 {
    let hash = name
        .bytes()
        .fold(seed ^ 0xCBF2_9CE4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01B3));
    let mixed = (hash ^ hash >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    mixed ^ mixed >> 31
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_name_and_each_run_has_its_own_seed() {
        let seeds = [derive(1, "A1"), derive(1, "A2"), derive(2, "A1"), derive(0, ""), derive(1, "")];
        for (at, seed) in seeds.iter().enumerate() {
            assert!(!seeds[..at].contains(seed));
        }
        assert_eq!(derive(1, "A1"), derive(1, "A1"));
    }
}
