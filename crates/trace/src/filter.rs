//! The sample as a tracefs filter: for kernels and containers without bpf(2).
//!
//! A filter knows `==`, `<=`, `&` (true when a common bit is set) and no arithmetic (`kernel/trace/trace_events_filter.c`), so the
//! sample is by place, one clause for each folio order: a folio contains the place when the index bits above its order agree.

use crate::sampling::{FRAME_FILTER, Sampling};
use std::fmt::Write;

/// The filter for additions, or for deletions with those of sampled frames; `None` when the sample is by hash.
pub(crate) fn page_filter(sampling: Sampling, has_order: bool, with_frames: bool) -> Option<String> {
    let place = sampling.place()?;
    let shift = sampling.shift();
    if shift == 0 {
        return Some(String::new());
    }
    let mut filter = String::new();
    for order in 0..if has_order { shift } else { 1 } {
        if !filter.is_empty() {
            filter += " || ";
        }
        filter += "(";
        if has_order {
            let _ = write!(filter, "order == {order} && ");
        }
        let bits = |value: u64| (value & !((1 << order) - 1)) & ((1 << shift) - 1);
        let (set, clear) = (bits(place), bits(!place));
        let mut terms: Vec<String> =
            (0..shift).map(|bit| 1 << bit).filter(|bit| set & bit != 0).map(|bit| format!("index & {bit}")).collect();
        if clear != 0 {
            terms.push(format!("!(index & {clear})"));
        }
        filter += &terms.join(" && ");
        filter += ")";
    }
    if has_order {
        let _ = write!(filter, " || order >= {shift}");
    }
    if with_frames {
        let _ = write!(filter, " || {FRAME_FILTER}");
    }
    Some(filter)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::{File, Range};
    use proptest::prelude::*;

    /// Evaluates the filters of this module: clauses joined by `||`, of terms joined by `&&`.
    fn passes(filter: &str, index: u64, order: u64, pfn: u64) -> bool {
        filter.split(" || ").any(|clause| {
            let clause = clause.strip_prefix('(').and_then(|inner| inner.strip_suffix(')')).unwrap_or(clause);
            clause.split(" && ").all(|term| {
                let (negated, term) = match term.strip_prefix("!(") {
                    Some(inner) => (true, inner.trim_end_matches(')')),
                    None => (false, term),
                };
                let words: Vec<&str> = term.split(' ').collect();
                let value = match words[0] {
                    "index" => index,
                    "order" => order,
                    "pfn" => pfn,
                    other => panic!("no such field: {other}"),
                };
                let number: u64 = words[2].parse().unwrap();
                negated
                    != match words[1] {
                        "&" => value & number != 0,
                        "==" => value == number,
                        ">=" => value >= number,
                        other => panic!("no such operator: {other}"),
                    }
            })
        })
    }

    proptest! {
        #[test]
        fn the_filter_passes_exactly_the_sampled_folios(shift in 1u32..9, place in any::<u64>(), order in 0u64..11, block in 0u64..1 << 30, pfn in any::<u64>()) {
            let sampling = Sampling::by_place(shift, place);
            let first = block << order;
            let range = Range { file: File { dev: 0, ino: 9 }, first, last: first + (1 << order) - 1 };
            let sampled = sampling.pages(&range).next().is_some();
            let added = page_filter(sampling, true, false).unwrap();
            prop_assert_eq!(passes(&added, first, order, pfn), sampled, "{}", added);
            let deleted = page_filter(sampling, true, true).unwrap();
            prop_assert_eq!(passes(&deleted, first, order, pfn), sampled || pfn & 63 == 0);
            if order == 0 {
                let old = page_filter(sampling, false, false).unwrap();
                prop_assert_eq!(passes(&old, first, order, pfn), sampled, "{}", old);
            }
        }
    }

    #[test]
    fn the_kernel_takes_filters_below_a_page() {
        let filter = page_filter(Sampling::by_place(6, 0b10_1101), true, true).unwrap();
        assert!(filter.len() < 4096, "{} characters: {filter}", filter.len());
    }
}
