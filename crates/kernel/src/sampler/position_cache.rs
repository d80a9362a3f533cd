//! A cache for the lines of a file: the name at each position, and its number in the schema.

/// Names by their position in a file, each with its number in the schema. The kernel prints a file in the same order each time, so a lookup
/// is one comparison. If another name is at a position, that is looked up again.
#[derive(Debug)]
pub(crate) struct PositionCache<T> {
    names: Vec<Option<(String, T)>>,
}

impl<T> Default for PositionCache<T> {
    fn default() -> Self {
        Self { names: Vec::new() }
    }
}

impl<T: Copy> PositionCache<T> {
    /// The number of `name` at position `at`. `learn` returns it if another name was there before.
    pub(crate) fn at(&mut self, at: usize, name: &str, learn: impl FnOnce(&str) -> T) -> T {
        if at >= self.names.len() {
            self.names.resize_with(at + 1, || None);
        }
        match &mut self.names[at] {
            Some((known, meaning)) if known == name => *meaning,
            entry => {
                let meaning = learn(name);
                *entry = Some((name.to_owned(), meaning));
                meaning
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_changed_order_is_learned_and_never_gives_another_ones_number() {
        let mut learned = PositionCache::default();
        let number = |name: &str| name.len();
        for order in [["a", "bb", "ccc"], ["bb", "a", "ccc"], ["ccc", "dddd", "a"]] {
            for (at, name) in order.into_iter().enumerate() {
                assert_eq!(learned.at(at, name, number), name.len());
            }
        }
        let mut asked = 0;
        learned.at(1, "dddd", |_| {
            asked += 1;
            0
        });
        assert_eq!(asked, 0, "a known position is not learned again");
    }
}
