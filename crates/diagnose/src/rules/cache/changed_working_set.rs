//! `changed-working-set`: a program reads other data than before; what it read until then stays cached, or no program reads it again.

use crate::actors::served::{self, AGAIN, DEMAND, FILLED, LOST, MIN_READ, MISSING, SERVED, Served};
use crate::actors::stream::{
    self, ANON_MOST, COPIES, FAULTING, FREED_LEAST, FREED_MOST, INODES, MOST_OF_READS, NEW, RANDOM, SWAP_MOST, Stream,
};
use crate::evidence::{EvidenceBuilder, advise};
use crate::measure::amount::{Amount, Rate, grade};
use crate::measure::episodes::SignalSpec;
use crate::measure::window::{REFAULTED, Window};
use crate::rules::contract::{EffectKind, Rule, leads, subsumes};
use pagetide_core::derived;
use pagetide_core::{Actor, Bytes, Finding, Relation, RuleDoc, RuleId};

pub(crate) const RULE: Rule = Rule {
    name: "a change of the working set",
    is_benign,
    effect: Some(EffectKind::Reads),
    leads_to: &[leads(
        EffectKind::DiskBusy,
        "What was not cached is read from the device.",
        "mm/filemap.c: filemap_read",
    )],
    subsumes: &[
        subsumes(EffectKind::DiskBusy, &[RuleId::DeviceSaturated, RuleId::LatencyBound]),
        subsumes(EffectKind::Reads, &[RuleId::ColdCache]),
    ],
    deciding_test: "The files that the program reads, before and now (`opensnoop`, its own log): they are others.",
    ..Rule::new(
        RuleDoc {
            id: RuleId::ChangedWorkingSet,
            title: "A program reads other data than before, and no program misses what was cached",
            meaning: "A program goes over to different data: a report, a scan, another data set, the files of other users. Each first read waits for the \
                device. What was cached before stays, or is replaced and not read again.",
            evidence: "A program that ran before asks for no more bytes than it did (rchar), and its reads came from the cache; now many come \
                from a device. The cache grows by what it reads, or reclaim frees as much; none of it refaults, and the cache did not shrink before. \
                Or one device reads far more than before, and reclaim frees about as much: few of the reads refault, no other process reads \
                back its pages, and no other device gets busy.",
            metrics: &[
                "read_sectors",
                "pgsteal_kswapd",
                "pgsteal_direct",
                "workingset_refault_file",
                "read_bytes",
                "rchar",
                "Cached",
                "Buffers",
                "syscr",
            ],
            thresholds: &[
                DEMAND.doc(),
                SERVED.doc(),
                MISSING.doc(),
                FILLED.doc(),
                AGAIN.doc(),
                MIN_READ.doc(),
                LOST.doc(),
                MOST_OF_READS.doc(),
                NEW.doc(),
                FREED_LEAST.doc(),
                FREED_MOST.doc(),
                RANDOM.doc(),
                INODES.doc(),
                COPIES.doc(),
                FAULTING.doc(),
                SWAP_MOST.doc(),
                ANON_MOST.doc(),
            ],
            why: "A full page cache is normal: each new page replaces the least recently used one.",
            alternatives: "The owners of the evicted pages may be idle now and read them back later. Then this was a stream that floods the cache.",
            advice: "Nothing, unless a program reads the old pages again.",
            mglru: "Reclaim frees what the new reads need, as with the classic lists. Pages used more than once move to a younger generation and \
                often survive a stream. So with MGLRU, streams end this way more often.",
            kernel: "Linux 6.12: mm/filemap.c: filemap_add_folio; mm/vmscan.c: shrink_folio_list; lru_gen of mm/vmscan.c: evict_folios.",
        },
        examine,
    )
};

fn examine(window: &Window<'_>) -> Option<Finding> {
    of_service(window).or_else(|| of_stream(window))
}

/// Where a finding's evidence shows what a program asks for: its own reads became slow.
const ASKED: &str = "rchar";

/// Of what a stream replaces, nobody misses anything.
fn is_benign(finding: &Finding) -> bool {
    !finding.evidence.iter().any(|evidence| evidence.source == ASKED)
}

/// A program whose reads came from the cache and, without more of them, come from a device now.
fn of_service(window: &Window<'_>) -> Option<Finding> {
    let served = served::until_now(window).filter(|served| !served.lost_its_files())?;
    let mut found = served.evidence(window);
    let Served { reader, read_before, asked, asked_before, read, refaulted, disk, .. } = served;
    let name = reader.words();
    let what = format!("bytes that {name} asks for, and before");
    found.compare(1.0, what, ASKED, asked, Relation::Near, asked_before);
    let weight = 0.5 + grade(reader.amount / asked, 0.2, 0.6);
    let what = format!("bytes that {name} reads from devices, and before");
    found.compare(weight, what, "read_bytes", reader.amount, Relation::Above, read_before);
    if let Some(refaulted) = refaulted {
        let weight = grade(refaulted / read, 0.1, 0.01);
        found.compare(
            weight,
            "refaulted bytes",
            "workingset_refault_file * page size",
            refaulted,
            Relation::Below,
            read,
        );
    }
    let statement = format!(
        "{name} reads other data than before: of the {asked} that it asks for ({asked_before} before), {} come from {} ({read_before} before). \
         None of it was evicted.",
        reader.amount,
        disk.unwrap_or("devices")
    );
    let advice = advise(
        "Read what will be needed into the cache before it is asked for, while the device is idle; or wait until it has been read once.",
        Some("cat FILE > /dev/null"),
        "Later reads come from memory if the files fit. While the device is busy, this delays other programs' reads.",
        None,
    );
    found.finish(RuleId::ChangedWorkingSet, statement, vec![advice])
}

/// A program that reads a device from end to end and replaces what nobody reads again.
fn of_stream(window: &Window<'_>) -> Option<Finding> {
    let stream = stream::of(window).filter(|stream| !stream.repeats && !stream.harmful(window))?;
    let Stream { disk, reader, rate, freed, .. } = stream;
    let mut found = EvidenceBuilder::new(window);
    found.span(window.when(SignalSpec::disk(disk, &derived::READ_BANDWIDTH)));
    let weight = 1.0 + grade(freed / rate, 0.3, 0.8);
    found.compare(weight, "bytes freed", "pgsteal * page size", freed, Relation::Near, rate);
    let missed = stream.refaulted.unwrap_or(Amount::ZERO);
    let refaulted = window.host_bytes(&REFAULTED).unwrap_or(missed);
    let weight = grade(missed / rate, 0.3, 0.05);
    if missed < refaulted {
        let source = "workingset_activate_file or workingset_restore_file * page size";
        found.compare(weight, "refaulted bytes that programs were using", source, missed, Relation::Below, rate);
        found.note("refaulted bytes", "workingset_refault_file * page size", refaulted);
    } else {
        found.compare(weight, "refaulted bytes", "workingset_refault_file * page size", missed, Relation::Below, rate);
    }
    let who = reader.map_or_else(
        || "A program".to_owned(),
        |process| {
            found.origin(process.actor(window));
            process.words()
        },
    );
    found.origin(Actor::disk(disk));
    let read: Amount<Bytes> = rate.over(window.length()?);
    let statement = format!("{who} reads {read} from {disk} and replaces {}.", replaced(rate, refaulted, missed));
    let advice = advise("Leave it.", None, "A program that needs the old pages later reads them once more.", None);
    found.finish(RuleId::ChangedWorkingSet, statement, vec![advice])
}

/// What a stream replaces, by what it reads, what refaults, and what of that programs were using.
fn replaced(read: Rate<Bytes>, refaulted: Rate<Bytes>, missed: Rate<Bytes>) -> String {
    if refaulted <= read * AGAIN {
        return "cached pages that no program reads again".to_owned();
    }
    let used = if missed < refaulted {
        ", long after their eviction: the kernel activates few of them"
    } else {
        ", and no other program misses any"
    };
    format!("cached pages. Of the {read}, {refaulted} refault{used}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_refaults_is_not_called_unread() {
        let told = |refaulted: f64, missed: f64| {
            replaced(Amount::new(100e6), Amount::new(refaulted * 1e6), Amount::new(missed * 1e6))
        };
        assert!(told(9.0, 9.0).contains("no program reads again"));
        assert!(told(9.0, 0.0).contains("no program reads again"));
        assert!(told(57.0, 57.0).contains("no other program misses"), "{}", told(57.0, 57.0));
        assert!(told(57.0, 1.0).contains("long after their eviction"), "{}", told(57.0, 1.0));
    }
}
