//! Inputs made from others, by a generator whose seed gives them again.

/// Numbers that are apt to go wrong where a number is expected.
const NUMBERS: [&str; 16] = [
    "0",
    "-1",
    "1",
    "4294967296",
    "9223372036854775807",
    "9223372036854775808",
    "-9223372036854775808",
    "18446744073709551615",
    "18446744073709551616",
    "99999999999999999999999999999999999999999",
    "1e308",
    "1e-400",
    "NaN",
    "0.000000000000000000000000000001",
    "",
    "\u{663}",
];

/// A generator of numbers: the same seed, the same numbers.
#[derive(Debug, Clone)]
pub struct Random(fastrand::Rng);

impl Random {
    /// Begins with this seed.
    pub fn new(seed: u64) -> Self {
        Self(fastrand::Rng::with_seed(seed))
    }

    /// A number below `end`, which is not 0.
    pub fn below(&mut self, end: usize) -> usize {
        self.0.usize(..end)
    }

    /// A place within `bytes`, or right behind them.
    fn place(&mut self, bytes: &[u8]) -> usize {
        self.below(bytes.len() + 1)
    }

    /// A stretch of `bytes`, most often a short one.
    fn stretch(&mut self, bytes: &[u8]) -> std::ops::Range<usize> {
        let start = self.place(bytes);
        let longest = if self.below(4) == 0 { bytes.len() } else { 64 };
        start..(start + self.below(longest + 1)).min(bytes.len())
    }
}

/// Makes an input out of one, with parts of another.
pub fn mutated(random: &mut Random, seed: &[u8], other: &[u8]) -> Vec<u8> {
    let mut bytes = seed.to_vec();
    for _ in 0..=random.below(4) {
        mutate(random, &mut bytes, other);
    }
    bytes
}

fn mutate(random: &mut Random, bytes: &mut Vec<u8>, other: &[u8]) {
    match random.below(9) {
        0 => bytes.truncate(random.place(bytes)),
        1 => drop(bytes.drain(random.stretch(bytes))),
        2 => {
            let part = bytes[random.stretch(bytes)].to_vec();
            insert(bytes, random.place(bytes), &part);
        }
        3 => {
            let part = &other[random.stretch(other)];
            insert(bytes, random.place(bytes), part);
        }
        4 => {
            let line = any_line(random, bytes);
            let moved: Vec<u8> = bytes.drain(line).collect();
            let to = any_line(random, bytes).start;
            insert(bytes, to, &moved);
        }
        5 | 6 => {
            let number = any_number(random, bytes);
            let replacement = NUMBERS[random.below(NUMBERS.len())];
            bytes.splice(number, replacement.bytes());
        }
        7 => {
            // A length or a number of a binary form.
            let at = random.place(bytes);
            let value = [0u64, u64::MAX, 1 << 31, 1 << 63, 0x7f, 0xffff][random.below(6)];
            for (place, byte) in bytes.iter_mut().skip(at).take(1 << random.below(4)).zip(value.to_le_bytes()) {
                *place = byte;
            }
        }
        _ => {
            for _ in 0..=random.below(3) {
                let (at, bit) = (random.place(bytes), random.below(8));
                if let Some(byte) = bytes.get_mut(at) {
                    *byte ^= 1 << bit;
                }
            }
        }
    }
}

fn insert(bytes: &mut Vec<u8>, at: usize, part: &[u8]) {
    bytes.splice(at..at, part.iter().copied());
}

/// A line with its end.
fn any_line(random: &mut Random, bytes: &[u8]) -> std::ops::Range<usize> {
    let place = random.place(bytes);
    let start = bytes[..place].iter().rposition(|byte| *byte == b'\n').map_or(0, |before| before + 1);
    let end = bytes[place..].iter().position(|byte| *byte == b'\n').map_or(bytes.len(), |end| place + end + 1);
    start..end
}

/// The digits next to some place; nothing at that place where there are none.
fn any_number(random: &mut Random, bytes: &[u8]) -> std::ops::Range<usize> {
    let place = random.place(bytes);
    let Some(start) = bytes[place..].iter().position(u8::is_ascii_digit).map(|ahead| place + ahead) else {
        return place..place;
    };
    let length = bytes[start..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    start..start + length
}
