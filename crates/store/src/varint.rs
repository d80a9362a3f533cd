//! Integers of variable length: LEB128, with zigzag for signed ones.

/// Appends `value`, seven bits a byte, lowest first.
pub(crate) fn put(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value.to_le_bytes()[0] | 0x80);
        value >>= 7;
    }
    out.push(value.to_le_bytes()[0]);
}

/// Appends a length or a count.
pub(crate) fn put_len(out: &mut Vec<u8>, len: usize) {
    put(out, len as u64);
}

/// Reads a number from the front of `input`; `None` if it ends early or does not fit 64 bits.
pub(crate) fn take(input: &mut &[u8]) -> Option<u64> {
    let mut value = 0u64;
    for at in 0..10 {
        let (first, rest) = input.split_first()?;
        *input = rest;
        let bits = u64::from(first & 0x7f);
        if at == 9 && bits > 1 {
            return None;
        }
        value |= bits << (7 * at);
        if first & 0x80 == 0 {
            return Some(value);
        }
    }
    None
}

/// Reads a length or a count from the front of `input`.
pub(crate) fn take_len(input: &mut &[u8]) -> Option<usize> {
    usize::try_from(take(input)?).ok()
}

/// Maps small signed numbers to small unsigned ones: 0, -1, 1, -2 become 0, 1, 2, 3.
pub(crate) fn zigzag(value: i64) -> u64 {
    ((value << 1) ^ (value >> 63)).cast_unsigned()
}

/// The reverse of [`zigzag`].
pub(crate) fn unzigzag(code: u64) -> i64 {
    (code >> 1).cast_signed() ^ -(code & 1).cast_signed()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_number_comes_back(value: i64, tail: Vec<u8>) {
            let mut bytes = Vec::new();
            put(&mut bytes, zigzag(value));
            bytes.extend_from_slice(&tail);
            let mut input = bytes.as_slice();
            prop_assert_eq!(take(&mut input).map(unzigzag), Some(value));
            prop_assert_eq!(input, tail.as_slice());
        }
    }

    #[test]
    fn numbers_that_are_cut_off_or_too_large_are_refused() {
        for bytes in [&[][..], &[0x80], &[0xff; 9], &[0xff; 11]] {
            assert_eq!(take(&mut &bytes[..]), None, "{bytes:?}");
        }
        assert_eq!(take(&mut &[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1][..]), Some(u64::MAX));
    }
}
