//! Compared with what fio 3.33 wrote by `--ioengine=null --bs=8192 --filename=x --write_iolog=LOG`.

use super::*;

/// The checksum of a sequence: each block in order, in base 31.
fn checksum(blocks: impl Iterator<Item = u64>) -> u64 {
    blocks.fold(0, |sum, block| (sum * 31 + block) % 1_000_000_007)
}

fn blocks(count: u64, map: bool, randseed: Option<u64>, distribution: &str) -> Blocks {
    let distribution = Distribution::parse(Some(distribution)).unwrap();
    Blocks::new(count, &Pattern { random: true, map, distribution }, &Seeds::new(randseed, 1))
}

fn all(mut blocks: Blocks) -> Vec<u64> {
    let count = blocks.count;
    (0..count).map_while(|_| blocks.next(false)).collect()
}

#[test]
fn a_random_pass_is_that_of_fio() {
    let first = [7, 94, 107, 60, 51, 108, 48, 45, 116, 8, 109, 83, 118, 31, 50, 71, 56, 102, 46, 79, 0, 54, 40, 88];
    assert_eq!(all(blocks(128, true, None, "random"))[..24], first);
    // 8192 blocks: two levels of the map and a half.
    assert_eq!(checksum(all(blocks(8192, true, None, "random")).into_iter()), 901_016_111);
}

#[test]
fn every_option_gives_the_sequence_of_fio() {
    for (name, blocks, expected) in [
        ("norandommap", blocks(8192, false, None, "random"), 12_234_268),
        ("randseed", blocks(8192, true, Some(12_345), "random"), 863_738_161),
        ("a count that is no power of two", blocks(625, true, None, "random"), 310_200_846),
        ("zoned", blocks(8192, true, None, "zoned:60/10:40/90"), 244_364_112),
    ] {
        assert_eq!(checksum(all(blocks).into_iter()), expected, "{name}");
    }
}

#[test]
fn a_job_by_time_takes_every_block_again_and_its_random_numbers_go_on() {
    let mut blocks = blocks(100, true, None, "random");
    let mut take = || {
        blocks.next(false).or_else(|| {
            blocks.rewind();
            blocks.next(false)
        })
    };
    assert_eq!(checksum((0..300).map_while(|_| take())), 695_564_740);
}

#[test]
fn a_random_pass_has_each_block_once() {
    for count in [1, 2, 63, 64, 65, 4096, 4097, 5000] {
        let mut seen = all(blocks(count, true, Some(count), "random"));
        seen.sort_unstable();
        assert_eq!(seen, (0..count).collect::<Vec<_>>());
    }
}

#[test]
fn a_law_prefers_few_blocks_and_zones_get_their_shares() {
    let share_of_top = |distribution: &str, top: usize| {
        let mut counts = [0_u64; 1000];
        for block in all(blocks(1000, false, Some(3), distribution)).iter().chain(&all(blocks(
            1000,
            false,
            Some(4),
            distribution,
        ))) {
            counts[usize::try_from(*block).unwrap()] += 1;
        }
        counts.sort_unstable_by(|a, b| b.cmp(a));
        counts[..top].iter().sum::<u64>() as f64 / 2000.0
    };
    assert!(share_of_top("zipf:1.2", 20) > 0.5);
    assert!(share_of_top("pareto:0.2", 200) > 0.6);
    assert!(share_of_top("random", 20) < 0.1);
}

#[test]
fn what_is_no_distribution_of_the_model_is_none() {
    for text in ["normal:5", "zoned_abs:60/10:40/90", "zoned:60/10:40/80", "zipf:", "zipf:1", "pareto:2", "zoned:60"] {
        assert_eq!(Distribution::parse(Some(text)), None, "{text}");
    }
}
