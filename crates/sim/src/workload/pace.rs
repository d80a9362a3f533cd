//! Rates and random numbers of loads.

/// When `amount` is due at a rate per second that began at `began`, ns.
pub fn due(began: u64, amount: u64, rate: u64) -> u64 {
    let nanos = u128::from(amount) * 1_000_000_000 / u128::from(rate.max(1));
    began.saturating_add(u64::try_from(nanos).unwrap_or(u64::MAX))
}

/// The next of a random sequence (xorshift64); `state` is not 0.
pub const fn next_random(mut state: u64) -> u64 {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    state
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_decides_when_an_amount_is_due() {
        assert_eq!(due(5, 50, 100), 5 + 500_000_000);
        assert_eq!(due(0, u64::MAX, 1), u64::MAX);
    }
}
