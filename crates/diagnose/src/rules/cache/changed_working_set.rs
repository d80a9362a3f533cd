//! `changed-working-set`: new reads replace cached pages that no program reads again.

use crate::actors::stream::{
    self, ANON_MOST, COPIES, FAULTING, FREED_LEAST, FREED_MOST, INODES, MOST_OF_READS, NEW, RANDOM, SWAP_MOST, Stream,
};
use crate::evidence::{EvidenceBuilder, advise};
use crate::measure::amount::{Amount, grade};
use crate::measure::episodes::SignalSpec;
use crate::measure::window::Window;
use crate::rules::contract::{Role, Rule};
use pagetide_core::derived;
use pagetide_core::{Actor, Bytes, Finding, Relation, RuleDoc, RuleId};

pub(crate) const RULE: Rule = Rule {
    name: "a change of the working set",
    role: Role::Benign,
    deciding_test: "Device reads of the programs that ran before (`pidstat -d 1`): they stay at zero.",
    ..Rule::new(
        RuleDoc {
            id: RuleId::ChangedWorkingSet,
            title: "New reads replace cached pages that no program reads again",
            meaning: "The cache was full, and a program reads different data: a report, a scan, another data set. Reclaim frees as much as it \
                reads. No other program starts to read from devices, so none missed the evicted pages.",
            evidence: "One device reads far more than before, and reclaim frees about as much. Few of the reads refault. No other process reads \
                back its pages, and no other device gets busy.",
            metrics: &[
                "read_sectors",
                "pgsteal_kswapd",
                "pgsteal_direct",
                "workingset_refault_file",
                "read_bytes",
                "syscr",
            ],
            thresholds: &[
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
    let stream = stream::of(window).filter(|stream| !stream.repeats && !stream.harmful(window))?;
    let Stream { disk, reader, rate, freed, .. } = stream;
    let mut found = EvidenceBuilder::new(window);
    found.span(window.when(SignalSpec::disk(disk, &derived::READ_BANDWIDTH)));
    let weight = 1.0 + grade(freed / rate, 0.3, 0.8);
    found.compare(weight, "bytes freed", "pgsteal * page size", freed, Relation::Near, rate);
    let refaulted = stream.refaulted.unwrap_or(Amount::ZERO);
    let weight = grade(refaulted / rate, 0.3, 0.05);
    found.compare(weight, "refaulted bytes", "workingset_refault_file * page size", refaulted, Relation::Below, rate);
    let who = reader.map_or_else(
        || "A program".to_owned(),
        |process| {
            found.origin(process.actor(window));
            process.words()
        },
    );
    found.origin(Actor::disk(disk));
    let read: Amount<Bytes> = rate.over(window.length()?);
    let statement = format!("{who} reads {read} from {disk} and replaces cached pages that no program reads again.");
    let advice = advise("Leave it.", None, "A program that needs the old pages later reads them once more.", None);
    found.finish(RuleId::ChangedWorkingSet, statement, vec![advice])
}
