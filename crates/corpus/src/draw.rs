//! Draws that depend on nothing but what they are for.

/// A number for a family, a key and a seed (FNV-1a, then the finalizer of SplitMix64).
fn number(family: &str, key: &str, seed: u64) -> u64 {
    let bytes = [family, "/", key].into_iter().flat_map(str::bytes).chain(seed.to_le_bytes());
    let hash =
        bytes.fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3));
    let mixed = (hash ^ (hash >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

/// A number below `bound`, which is not 0.
pub(crate) fn below(bound: u64, family: &str, key: &str, seed: u64) -> u64 {
    number(family, key, seed) % bound.max(1)
}

/// One of `values`.
pub(crate) fn one<'a, T>(values: &'a [T], family: &str, key: &str, seed: u64) -> Option<&'a T> {
    let count = u64::try_from(values.len()).ok().filter(|count| *count > 0)?;
    values.get(usize::try_from(number(family, key, seed) % count).ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_comes_about_as_often_and_always_for_the_same_seed() {
        let values = [0_usize, 1, 2];
        let mut seen = [0; 3];
        for seed in 0..300 {
            let drawn = *one(&values, "family", "key", seed).unwrap();
            assert_eq!(one(&values, "family", "key", seed), Some(&drawn));
            seen[drawn] += 1;
        }
        assert!(seen.iter().all(|count| (70..=130).contains(count)), "{seen:?}");
        assert_eq!(one(&[] as &[u8], "family", "key", 1), None);
    }
}
