//! What `--vary` takes: `memory=1GiB..8GiB`, `memory=1GiB..8GiB/15`, `vm.swappiness=0,1,60`.

use pagetide_core::{Bytes, Error, VariedSetting};

/// Number of values of a range, if not given.
const USUAL: u64 = 8;
/// Number of values of a range, at most.
const MAX_VALUES: u64 = 10_000;

/// Reads `KEY=VALUES`.
///
/// # Errors
/// The text is not of this form.
pub fn parse(text: &str) -> Result<VariedSetting, Error> {
    let wrong = |why: String| {
        Error::input(
            format!("--vary {text}: {why}"),
            "write memory=1GiB..8GiB, memory=1GiB..8GiB/15 for 15 values, or vm.swappiness=0,1,60",
        )
    };
    let (key, values) = text.split_once('=').ok_or_else(|| wrong("no `=`".to_owned()))?;
    if key.trim().is_empty() {
        return Err(wrong("no key".to_owned()));
    }
    let values = match values.split_once("..") {
        Some((from, to)) => range(from, to).map_err(wrong)?,
        None => list(values),
    };
    if values.iter().any(String::is_empty) {
        return Err(wrong("an empty value".to_owned()));
    }
    if let Some((at, twice)) = values.iter().enumerate().find(|(at, value)| values[..*at].contains(value)) {
        return Err(wrong(format!("{twice} appears twice, also as value {}", at + 1)));
    }
    Ok(VariedSetting { key: key.trim().to_owned(), values })
}

/// The values of a list. Commas within braces and brackets are part of a value, such as a swap area.
fn list(text: &str) -> Vec<String> {
    let (mut values, mut depth, mut begin) = (Vec::new(), 0_i32, 0);
    for (at, letter) in text.char_indices() {
        match letter {
            '{' | '[' => depth += 1,
            '}' | ']' => depth -= 1,
            ',' if depth == 0 => {
                values.push(text[begin..at].trim().to_owned());
                begin = at + 1;
            }
            _ => {}
        }
    }
    values.push(text[begin..].trim().to_owned());
    values
}

/// Evenly spaced values from `from` to `to`, both included: sizes in whole MiB, or whole numbers.
fn range(from: &str, to: &str) -> Result<Vec<String>, String> {
    let (to, count) = to.split_once('/').map_or((to, None), |(to, count)| (to, Some(count)));
    let count = match count {
        Some(text) => text.parse().map_err(|_| format!("`{text}` is not a number of values"))?,
        None => USUAL,
    };
    if !(2..=MAX_VALUES).contains(&count) {
        let values = if count == 1 { "value" } else { "values" };
        return Err(format!("{count} {values} (2 to {MAX_VALUES} make a range)"));
    }
    let whole = |text: &str| text.trim().parse::<u64>().ok();
    let size = |text: &str| text.trim().parse::<Bytes>().ok().map(|size| size.get() >> 20);
    let (from, to, unit) = match (whole(from).zip(whole(to)), size(from).zip(size(to))) {
        (Some((from, to)), _) => (from, to, ""),
        (None, Some((from, to))) => (from, to, "MiB"),
        _ => return Err("a range has two sizes or two whole numbers".to_owned()),
    };
    if from >= to {
        return Err("the range does not rise".to_owned());
    }
    let value = |at: u64| {
        let step = u128::from(to - from) * u128::from(at) / u128::from(count - 1);
        from + u64::try_from(step).unwrap_or(u64::MAX)
    };
    let mut values: Vec<u64> = (0..count).map(value).collect();
    values.dedup();
    Ok(values.into_iter().map(|value| format!("{value}{unit}")).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_and_lists_give_their_values() {
        let values = |text: &str| parse(text).unwrap().values.join(" ");
        assert_eq!(values("memory=1GiB..8GiB"), "1024MiB 2048MiB 3072MiB 4096MiB 5120MiB 6144MiB 7168MiB 8192MiB");
        assert_eq!(values("memory=1GiB..2GiB/3"), "1024MiB 1536MiB 2048MiB");
        assert_eq!(values("vm.swappiness=0, 1,60"), "0 1 60");
        assert_eq!(values("vm.swappiness=0..3"), "0 1 2 3");
        assert_eq!(values("swap=none,{ size = \"1GiB\", disk = \"d\" }"), "none { size = \"1GiB\", disk = \"d\" }");
        assert_eq!(parse("A4.randrepeat=true,false").unwrap().key, "A4.randrepeat");
    }

    #[test]
    fn what_is_neither_gets_one_line() {
        assert!(parse("m=1..2/1").unwrap_err().what.contains(": 1 value ("));
        for text in
            ["memory", "=1", "memory=", "memory=8GiB..1GiB", "memory=1GiB..x", "m=1..2/0", "m=1..9/99999999", "m=1,1"]
        {
            let error = parse(text).unwrap_err();
            assert!(error.what.starts_with(&format!("--vary {text}: ")), "{}", error.what);
        }
    }
}
