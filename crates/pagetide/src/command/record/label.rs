//! What users call a host.

use std::str::FromStr;

/// Characters of a name or a value at most.
const MAX_CHARACTERS: usize = 100;

/// A name and a value, given as `site=fra`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Label {
    pub(super) name: String,
    pub(super) value: String,
}

impl FromStr for Label {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, value) = text.split_once('=').ok_or("give NAME=VALUE, such as site=fra")?;
        let known = |character: char| character.is_ascii_alphanumeric() || "_-.".contains(character);
        if name.is_empty() || name.len() > MAX_CHARACTERS || !name.chars().all(known) {
            return Err(format!("a name has 1 to {MAX_CHARACTERS} letters, digits, `_`, `-` or `.`"));
        }
        if value.is_empty() || value.chars().count() > MAX_CHARACTERS || value.chars().any(char::is_control) {
            return Err(format!("a value has 1 to {MAX_CHARACTERS} characters, none of them a control character"));
        }
        Ok(Self { name: name.into(), value: value.into() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_has_a_plain_name_and_a_value_in_one_line() {
        let label = |name: &str, value: &str| Ok(Label { name: name.into(), value: value.into() });
        assert_eq!("site=fra 1=2".parse(), label("site", "fra 1=2"));
        let long = format!("a={}", "x".repeat(101));
        for wrong in ["site", "=fra", "site=", "a b=c", "a=b\nc", long.as_str()] {
            assert!(wrong.parse::<Label>().is_err(), "{wrong}");
        }
    }
}
