//! The generators that fio draws blocks with: L'Ecuyer's combined Tausworthe generators with three and with five parts
//! ("Maximally Equidistributed Combined Tausworthe Generators", Mathematics of Computation 65, 1996; "Tables of Maximally
//! Equidistributed Combined LFSR Generators", 68, 1999), seeded as fio 3.33 seeds them.

/// One part of the generator of 32 bits: shifts `q` and `k - s`, mask, shift `s`.
const PARTS_32: [(u32, u32, u32, u32); 3] = [(13, 19, !1, 12), (2, 25, !7, 4), (3, 11, !15, 17)];
/// The same of the generator of 64 bits.
const PARTS_64: [(u32, u32, u64, u32); 5] =
    [(1, 53, !1, 10), (24, 50, !511, 5), (3, 23, !4095, 29), (5, 24, !131_071, 23), (3, 33, !8_388_607, 8)];

/// Rounds that fio throws away after it has seeded a generator.
const WARM_UP: usize = 6;

/// A generator. fio uses that of 64 bits for files of more than 2^32 blocks.
#[derive(Debug, Clone)]
pub enum Tausworthe {
    /// Of 32 bits (taus88).
    Short([u32; 3]),
    /// Of 64 bits (taus258).
    Long([u64; 5]),
}

impl Tausworthe {
    /// The generator of a seed.
    pub fn new(seed: u64, long: bool) -> Self {
        // fio writes 2^31, which in C is 29, and so on: (2^31) + (2^17) + (2^7).
        const START: u64 = (2 ^ 31) + (2 ^ 17) + (2 ^ 7);
        let mut generator = if long {
            let mut last = START;
            Self::Long([1, 7, 15, 33, 49].map(|least| {
                let state = last.wrapping_mul(6_906_969_069) ^ seed;
                last = if state < least { state + least } else { state };
                last
            }))
        } else {
            // A seed of fio has 64 bits, and this generator takes the lower ones.
            let seed = low(seed);
            let mut last = low(START);
            Self::Short([1, 7, 15].map(|least| {
                let state = last.wrapping_mul(69_069) ^ seed;
                last = if state < least { state + least } else { state };
                last
            }))
        };
        for _ in 0..WARM_UP {
            generator.draw();
        }
        generator
    }

    /// The next number, below [`Self::range`].
    pub fn draw(&mut self) -> u64 {
        match self {
            Self::Short(states) => {
                for (state, (q, k, mask, s)) in states.iter_mut().zip(PARTS_32) {
                    *state = (*state & mask) << s ^ (*state << q ^ *state) >> k;
                }
                u64::from(states.iter().fold(0, |all, state| all ^ state))
            }
            Self::Long(states) => {
                for (state, (q, k, mask, s)) in states.iter_mut().zip(PARTS_64) {
                    *state = (*state & mask) << s ^ (*state << q ^ *state) >> k;
                }
                states.iter().fold(0, |all, state| all ^ state)
            }
        }
    }

    /// One more than the largest number.
    pub const fn range(&self) -> f64 {
        match self {
            Self::Short(_) => 4_294_967_296.0,
            Self::Long(_) => 18_446_744_073_709_551_616.0,
        }
    }

    /// A number below `count`.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "not negative, and below count")]
    pub fn below(&mut self, count: u64) -> u64 {
        (count as f64 * (self.draw() as f64 / self.range())) as u64
    }

    /// A number from 1 to 100.
    pub fn percent(&mut self) -> u64 {
        1 + self.below(100)
    }
}

#[expect(clippy::cast_possible_truncation, reason = "the lower half is wanted")]
const fn low(value: u64) -> u32 {
    value as u32
}

/// The seeds of a fio job's generators, by what they are for (`FIO_RAND_…_OFF`).
#[derive(Debug, Clone, Copy)]
pub struct Seeds {
    base: u64,
    thread: u64,
    repeat: bool,
}

/// What a generator of fio decides. The number is its place among fio's seeds.
#[derive(Debug, Clone, Copy)]
pub enum Purpose {
    /// Whether the next request of a mixed job reads or writes.
    Mix = 4,
    /// The next block.
    Block = 6,
    /// The zone of the next block.
    Zone = 16,
}

impl Seeds {
    /// The seeds of the job's `thread` (from 1). Without `randseed` they are those of `randrepeat`.
    pub const fn new(randseed: Option<u64>, thread: u64) -> Self {
        // fio's default `randseed`, and the default of `randrepeat`.
        let (base, repeat) = match randseed {
            Some(seed) => (seed, false),
            None => (0x89, true),
        };
        Self { base, thread, repeat }
    }

    /// The seed of what is for `purpose`.
    pub const fn of(&self, purpose: Purpose) -> u64 {
        const GOLDEN: u64 = 0x9E37_0001;
        if self.repeat && matches!(purpose, Purpose::Block) {
            return 0xB189_9BED * self.thread;
        }
        let at = purpose as u64;
        let (mut seed, mut round) = (self.base, 0);
        while round < 4 + at {
            seed = seed.wrapping_mul(GOLDEN);
            round += 1;
        }
        seed.wrapping_mul(self.thread).wrapping_add(at)
    }
}
