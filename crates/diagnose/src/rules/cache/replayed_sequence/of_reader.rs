//! The same of a program that no step measures: it reads in order, the cache serves next to nothing of what it calls for, and yet all that it reads was
//! cached before. Of independent reads the cache serves as large a part as it holds.

use crate::actors::stream::{self, COPIES};
use crate::actors::{newcomer, process};
use crate::evidence::EvidenceBuilder;
use crate::evidence::threshold::REFAULT_RATE;
use crate::measure::amount::{Amount, Limit, Rate, grade};
use crate::measure::episodes::SignalSpec;
use crate::measure::readahead;
use crate::measure::window::{REFAULTED, Window};
use pagetide_core::derived;
use pagetide_core::{Advice, Bytes, Finding, Ratio, Relation, RuleId, Table};

pub(super) const AGAIN: Limit<Ratio> = Limit::new(
    "refaulted bytes per byte read, at least, of a program that reads in order",
    0.75,
    "The first pass over what does not fit reads a part for the first time.",
    "judgement",
);
pub(super) const SERVED: Limit<Ratio> = Limit::new(
    "share of the bytes of its read calls that the cache serves, at most",
    0.3,
    "Some pages are protected, as they were used twice; readahead serves none of its own pages twice.",
    "mm/workingset.c: workingset_refault (6.12), and judgement",
);
pub(super) const PART: Limit<Ratio> = Limit::new(
    "one program's bytes per byte read from devices",
    0.7,
    "With less, refaults may be those of others.",
    "judgement",
);

/// A finding of it, with this advice.
pub(super) fn examine(window: &Window<'_>, advice: Vec<Advice>) -> Option<Finding> {
    let missed = window.when(SignalSpec::derived(&REFAULTED));
    let during = window.over(missed);
    let again: Rate<Bytes> =
        stream::missed(&during).filter(|_| during.host(&REFAULTED).is_some_and(|rate| rate >= REFAULT_RATE))?;
    let read: Rate<Bytes> = during.derived(Table::Host, "", &derived::PAGED_IN)?;
    let reader =
        process::fastest::<Bytes>(&during, &["read_bytes"]).filter(|process| process.amount >= read * PART.get())?;
    let of = |metric: &str| process::together::<Bytes>(&during, reader.comm, &[metric]);
    let (called, own) = (of("rchar"), of("read_bytes"));
    let served = Amount::<Ratio>::new(1.0) - own / called;
    let copies = of("write_bytes") > own * COPIES.get();
    // What a program maps it reads without a call.
    let calls = called >= own * (1.0 - SERVED.get());
    if again < read * AGAIN || !calls || served > SERVED.value() || copies {
        return None;
    }
    if !readahead::in_sequence(&during) || !newcomer::serves(&during, reader.comm) {
        return None;
    }
    let mut found = EvidenceBuilder::new(window);
    let reads = SignalSpec::rate(Table::Process, reader.name, &["read_bytes"]);
    found.span(window.onset(missed).at_rise_of(reads));
    let weight = 1.0 + 1.5 * grade(again / read, AGAIN.get(), 0.95);
    found.compare(
        weight,
        "refaulted bytes per second",
        "workingset_refault_file * page size",
        again,
        Relation::Near,
        read,
    );
    let weight = 0.5 + 1.5 * grade(served, SERVED.get(), 0.1);
    let source = format!("1 - read_bytes / rchar of {}", reader.words());
    found.compare(weight, "share of its bytes that the cache serves", source, served, Relation::Below, SERVED.value());
    found.note(format!("bytes that {} calls for", reader.words()), "rchar", called);
    found.origin(reader.actor(window));
    let statement = format!(
        "{} reads {own} in order, and the cache serves {served} of what it asks for, though all of it was cached before: it repeats a sequence that \
         is longer than the cache, so that LRU has always just evicted what comes next.",
        reader.words()
    );
    found.finish(RuleId::ReplayedSequence, statement, advice)
}
