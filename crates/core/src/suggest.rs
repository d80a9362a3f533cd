//! "Did you mean": the known word nearest to a mistyped one.

/// The candidate that is most like `word`, when one is like it at all.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    candidates
        .into_iter()
        .map(|candidate| (strsim::jaro_winkler(word, candidate), candidate))
        .filter(|(likeness, _)| *likeness > 0.75)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, candidate)| candidate)
}

/// `; did you mean X?` for the nearest candidate, or nothing.
pub fn hint<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> String {
    nearest(word, candidates).map(|found| format!("; did you mean `{found}`?")).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_like_word_is_suggested() {
        assert_eq!(nearest("bufferd-read", ["buffered-read", "swap-off"]), Some("buffered-read"));
        assert_eq!(nearest("zzz", ["buffered-read", "swap-off"]), None);
    }
}
