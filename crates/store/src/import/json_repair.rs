//! Repairs the JSON that some versions of sysstat print: a missing or extra comma (`sadf -j` of 10.1.7 to 11.2, `iostat -y` up to 12.1.4), a
//! decimal comma where the locale has one, a missing brace (`network` in 11.2.0).
//!
//! Valid JSON passes unchanged, except that each comma moves directly before the next value. Truncated input stays truncated: nothing is
//! closed at its end.

use std::cell::Cell;
use std::io::{self, Read};

/// What the byte before has been part of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Within {
    Nothing,
    String,
    Escape,
    /// A number or a word.
    Scalar,
}

/// A reader that repairs JSON for a parser.
#[derive(Debug)]
pub(super) struct Repaired<'a, R> {
    input: R,
    read: Vec<u8>,
    ready: Vec<u8>,
    taken: usize,
    /// The braces and brackets that are open.
    open: Vec<u8>,
    within: Within,
    /// Whether a value has ended, so that a comma must come before the next.
    ended: bool,
    /// Whether a colon came last: what follows belongs to it.
    colon: bool,
    /// Whether the scalar being read is the value of a key and may have a comma for its point.
    decimal: bool,
    /// Commas since the last value.
    commas: usize,
    repairs: &'a Cell<u64>,
}

/// How much is read at once.
const CHUNK: usize = 32 << 10;

impl<'a, R: Read> Repaired<'a, R> {
    /// Wraps a reader, and counts the repairs in `repairs`.
    pub(super) fn new(input: R, repairs: &'a Cell<u64>) -> Self {
        Self {
            input,
            read: vec![0; CHUNK],
            ready: Vec::with_capacity(2 * CHUNK),
            taken: 0,
            open: Vec::new(),
            within: Within::Nothing,
            ended: false,
            colon: false,
            decimal: false,
            commas: 0,
            repairs,
        }
    }

    fn repaired(&self) {
        self.repairs.set(self.repairs.get() + 1);
    }

    fn take(&mut self, byte: u8) {
        match self.within {
            Within::Escape => self.within = Within::String,
            Within::String if byte == b'\\' => self.within = Within::Escape,
            Within::String if byte == b'"' => self.end(),
            Within::String => {}
            Within::Scalar if is_scalar(byte) => {}
            Within::Scalar | Within::Nothing => {
                if self.within == Within::Scalar {
                    self.end();
                }
                return self.between(byte);
            }
        }
        self.ready.push(byte);
    }

    /// Takes a byte between values.
    fn between(&mut self, byte: u8) {
        match byte {
            b',' => {
                self.commas += 1;
                return;
            }
            b':' => {
                self.ended = false;
                self.colon = true;
            }
            b'}' | b']' => return self.close(byte),
            byte if byte.is_ascii_whitespace() => {}
            // A number after a comma where a key must follow: it is the fraction of the number before.
            b'0'..=b'9' if self.decimal && self.commas == 1 && self.open.last() == Some(&b'{') => {
                self.repaired();
                self.ready.push(b'.');
                (self.commas, self.within, self.ended) = (0, Within::Scalar, false);
            }
            _ => {
                self.value(byte);
                self.within = match byte {
                    b'"' => Within::String,
                    b'{' | b'[' => Within::Nothing,
                    _ => Within::Scalar,
                };
                self.decimal = self.colon && byte.is_ascii_digit();
                self.colon = false;
                if matches!(byte, b'{' | b'[') {
                    self.open.push(byte);
                }
            }
        }
        self.ready.push(byte);
    }

    /// Prints the comma or brace that belongs before a value.
    fn value(&mut self, byte: u8) {
        if byte == b'{' && self.open.last() == Some(&b'{') && !self.colon {
            // An object where a key must follow: the one before it was not closed.
            self.repaired();
            self.ready.push(b'}');
            self.open.pop();
            self.ended = true;
        }
        if self.commas != usize::from(self.ended) {
            self.repaired();
        }
        if self.ended {
            self.ready.push(b',');
        }
        (self.commas, self.ended) = (0, false);
    }

    fn close(&mut self, byte: u8) {
        let opened = if byte == b'}' { b'{' } else { b'[' };
        if self.commas > 0 {
            self.repaired();
            self.commas = 0;
        }
        if byte == b']' && self.open.last() == Some(&b'{') && self.open.iter().rev().nth(1) == Some(&b'[') {
            self.repaired();
            self.ready.push(b'}');
            self.open.pop();
        }
        self.open.pop_if(|last| *last == opened);
        self.ready.push(byte);
        (self.ended, self.colon, self.decimal) = (true, false, false);
    }

    fn end(&mut self) {
        self.within = Within::Nothing;
        self.ended = true;
    }
}

/// Whether a byte continues a number or a word.
fn is_scalar(byte: u8) -> bool {
    !byte.is_ascii_whitespace() && !matches!(byte, b',' | b':' | b'{' | b'}' | b'[' | b']' | b'"')
}

impl<R: Read> Read for Repaired<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.taken == self.ready.len() {
            self.ready.clear();
            self.taken = 0;
            let mut chunk = std::mem::take(&mut self.read);
            let read = self.input.read(&mut chunk);
            if let Ok(read) = read {
                chunk[..read].iter().for_each(|byte| self.take(*byte));
            }
            self.read = chunk;
            if read? == 0 {
                return Ok(0);
            }
        }
        let given = buffer.len().min(self.ready.len() - self.taken);
        buffer[..given].copy_from_slice(&self.ready[self.taken..self.taken + given]);
        self.taken += given;
        Ok(given)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn repaired(text: &str) -> (String, u64) {
        let repairs = Cell::new(0);
        let mut out = String::new();
        Repaired::new(text.as_bytes(), &repairs).read_to_string(&mut out).unwrap();
        (out, repairs.get())
    }

    #[test]
    fn commas_and_braces_are_put_right() {
        let check = |broken: &str, right: &str, repairs| {
            let (text, count) = repaired(broken);
            let value: serde_json::Value =
                serde_json::from_str(&text).unwrap_or_else(|error| panic!("{text}: {error}"));
            assert_eq!((value, count), (serde_json::from_str(right).unwrap(), repairs), "{broken} became {text}");
        };
        check(r#"{"a": "1" "b": "2"}"#, r#"{"a": "1", "b": "2"}"#, 1);
        check(r#"{"a": {"x": 1}  "b": [ ]}"#, r#"{"a": {"x": 1}, "b": []}"#, 1);
        check("[\n,\n{\"a\": 1}]", r#"[{"a": 1}]"#, 1);
        check(r#"[{"a": 1},]"#, r#"[{"a": 1}]"#, 1);
        check(r#"{"a": 4,97, "b": 0,00}"#, r#"{"a": 4.97, "b": 0.00}"#, 2);
        check(r#"[4,97]"#, r#"[4,97]"#, 0);
        check(r#"[{"n": {"d": [1] }, {"n": {"d": [2] }]"#, r#"[{"n": {"d": [1]}}, {"n": {"d": [2]}}]"#, 2);
        check(r#"{"a": "x,y}\\\"]", "b": null, "c": -1.5e3}"#, r#"{"a": "x,y}\\\"]", "b": null, "c": -1500.0}"#, 0);
    }

    #[test]
    fn what_breaks_off_stays_broken_off() {
        for cut in [r#"{"a": [1, 2"#, r#"{"a": "#, r#"{"a": "x"#] {
            assert!(serde_json::from_str::<serde_json::Value>(&repaired(cut).0).is_err(), "{cut}");
        }
    }

    fn any_json() -> impl Strategy<Value = serde_json::Value> {
        let leaf = prop_oneof![
            Just(serde_json::Value::Null),
            any::<bool>().prop_map(Into::into),
            any::<i32>().prop_map(Into::into),
            (-1e9..1e9f64).prop_map(Into::into),
            ".{0,8}".prop_map(serde_json::Value::from),
        ];
        leaf.prop_recursive(4, 32, 5, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..5).prop_map(serde_json::Value::from),
                prop::collection::btree_map(".{0,4}", inner, 0..5).prop_map(|map| map.into_iter().collect()),
            ]
        })
    }

    proptest! {
        #[test]
        fn whole_json_is_the_same_json(value in any_json(), pretty: bool) {
            let text = if pretty { serde_json::to_string_pretty(&value) } else { serde_json::to_string(&value) }.unwrap();
            let (through, repairs) = repaired(&text);
            prop_assert_eq!(serde_json::from_str::<serde_json::Value>(&through).unwrap(), value);
            prop_assert_eq!(repairs, 0);
        }
    }
}
