//! Cutting the kernel's text into lines, fields and numbers, without allocating.

use crate::error::{Error, Problem};

/// What stands before and behind the first `byte`, as `split_once` gives it. The kernel's lines and fields are so short that this is
/// done before a search by words has begun.
pub fn cut(text: &str, byte: u8) -> Option<(&str, &str)> {
    let at = text.bytes().position(|known| known == byte)?;
    Some((&text[..at], &text[at + 1..]))
}

/// What stands between each `byte` and the next, as `split` gives it.
pub fn pieces(text: &str, byte: u8) -> impl Iterator<Item = &str> + Clone {
    let mut rest = Some(text);
    std::iter::from_fn(move || {
        let text = rest?;
        let (piece, behind) = cut(text, byte).map_or((text, None), |(piece, behind)| (piece, Some(behind)));
        rest = behind;
        Some(piece)
    })
}

/// The lines of a whole file, each with its number from 1. The last line must end with a line feed: all files of
/// the kernel do, and a number cut in two would be a wrong number.
pub fn lines<'a>(
    file: &'static str,
    text: &'a str,
) -> Result<impl Iterator<Item = (usize, &'a str)> + Clone + use<'a>, Error> {
    match text.strip_suffix('\n') {
        Some(body) => Ok(pieces(body, b'\n').enumerate().map(|(at, line)| (at + 1, line))),
        None if text.is_empty() => Err(Error::line(file, 1, Problem::Empty)),
        None => Err(Error::line(file, text.split('\n').count(), Problem::Cut)),
    }
}

/// A whole non-negative number and nothing else.
pub fn number(text: &str) -> Option<u64> {
    let add = |value: u64, byte: u8| {
        let digit = byte.checked_sub(b'0').filter(|digit| *digit < 10)?;
        value.checked_mul(10)?.checked_add(digit.into())
    };
    if text.is_empty() { None } else { text.bytes().try_fold(0, add) }
}

/// A whole number that may be negative, and nothing else.
pub fn signed(text: &str) -> Option<i64> {
    match text.strip_prefix('-') {
        Some(digits) => 0i64.checked_sub_unsigned(number(digits)?),
        None => i64::try_from(number(text)?).ok(),
    }
}

/// The next field as a number, or what is wrong with it.
pub fn next_number<'a>(fields: &mut impl Iterator<Item = &'a str>) -> Result<u64, Problem> {
    number(fields.next().ok_or(Problem::Short)?).ok_or(Problem::NotANumber)
}

/// A number as samples store it: what does not fit stays at the largest value.
pub fn stored(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}

/// `12.34` as a count of the smallest unit with `digits` decimals: `thousandths("0.42", 3)` is 420.
pub fn fixed(text: &str, digits: u32) -> Option<u64> {
    let (whole, fraction) = text.split_once('.')?;
    let given = u32::try_from(fraction.len()).ok().filter(|given| (1..=digits).contains(given))?;
    let fraction = number(fraction)?.checked_mul(10u64.checked_pow(digits - given)?)?;
    number(whole)?.checked_mul(10u64.checked_pow(digits)?)?.checked_add(fraction)
}

/// The octal escapes of `/proc/mounts` and `/proc/swaps` (`\040` is a space) turned back.
pub fn unescape(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut plain = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let code = bytes.get(at..at + 4).filter(|escape| escape[0] == b'\\').and_then(|escape| {
            let digits = std::str::from_utf8(&escape[1..]).ok().filter(|digits| number(digits).is_some())?;
            u8::from_str_radix(digits, 8).ok()
        });
        plain.push(code.unwrap_or(bytes[at]));
        at += if code.is_some() { 4 } else { 1 };
    }
    String::from_utf8_lossy(&plain).into_owned()
}
