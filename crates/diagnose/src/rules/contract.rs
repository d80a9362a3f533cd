//! What a rule is: all that is about one cause, effect or sign of health.

use crate::measure::window::Window;
use pagetide_core::{Cleared, Finding, RuleDoc, RuleId};

/// A kind of effect. The order is the one in which effects follow from each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum EffectKind {
    Reads,
    Writes,
    AnonGrows,
    SlabGrows,
    Compaction,
    Reclaim,
    DirectReclaim,
    CacheLost,
    SwapOut,
    SwapIn,
    Refaults,
    MajorFaults,
    DiskBusy,
    MemoryWaits,
    IoWaits,
    CpuWaits,
}

impl EffectKind {
    /// The effect in a few words.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Reads => "reads",
            Self::Writes => "writes",
            Self::AnonGrows => "growth of anonymous memory",
            Self::SlabGrows => "growth of slab",
            Self::Compaction => "compaction",
            Self::Reclaim => "reclaim",
            Self::DirectReclaim => "direct reclaim",
            Self::CacheLost => "loss of file cache",
            Self::SwapOut => "swap-out",
            Self::SwapIn => "swap-in",
            Self::Refaults => "refaults",
            Self::MajorFaults => "major faults",
            Self::DiskBusy => "a busy device",
            Self::MemoryWaits => "waits for memory",
            Self::IoWaits => "waits for IO",
            Self::CpuWaits => "waits for a CPU",
        }
    }
}

/// What a finding is to the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Role {
    /// It can be the root of what went wrong.
    Cause,
    /// Others usually cause it; it is the root only when no recorded cause explains it.
    Effect,
    /// Worth knowing; nothing is wrong by itself.
    Remark,
    /// A sign of health that is often taken for trouble.
    Benign,
}

/// Which stretches a rule examines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scope {
    /// Those in which a signal is far above its baseline.
    Busy,
    /// The whole recording: what grows slowly, or is always so.
    Whole,
}

/// The time that tasks lose by a cause.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Loss {
    /// In waits for IO or memory.
    Stalls,
    /// In waits for a CPU.
    Cpu,
    /// A process was killed, whatever tasks waited for.
    Killed,
}

/// How the kernel carries a cause to an effect.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Mechanism {
    pub(crate) to: EffectKind,
    pub(crate) how: &'static str,
    /// The functions in which it happens, of Linux 6.12.
    pub(crate) kernel: &'static str,
}

/// A mechanism.
pub(crate) const fn leads(to: EffectKind, how: &'static str, kernel: &'static str) -> Mechanism {
    Mechanism { to, how, kernel }
}

/// When one finding accounts for another, beside the order in time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum When {
    Always,
    /// Both are about one process.
    SameProcess,
    /// They are not about one process.
    OtherProcess,
    /// They share an origin.
    SameOrigin,
}

/// Findings that a rule's finding accounts for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Subsumed {
    /// The effect by which it does: one that the rule's mechanisms reach.
    pub(crate) by: EffectKind,
    pub(crate) rules: &'static [RuleId],
    pub(crate) when: When,
}

/// Findings that a rule accounts for through an effect.
pub(crate) const fn subsumes(by: EffectKind, rules: &'static [RuleId]) -> Subsumed {
    Subsumed { by, rules, when: When::Always }
}

impl Subsumed {
    /// Only when this holds too.
    pub(crate) const fn when(self, when: When) -> Self {
        Self { when, ..self }
    }
}

/// What a rule needs to clear a suspect.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Suspicion<'a> {
    pub(crate) whole: &'a Window<'a>,
    /// The time of the cause.
    pub(crate) during: &'a Window<'a>,
    pub(crate) findings: &'a [Finding],
}

impl Suspicion<'_> {
    /// Whether one of these rules found something.
    pub(crate) fn confirmed(&self, rules: &[RuleId]) -> bool {
        self.findings.iter().any(|finding| rules.contains(&finding.rule))
    }
}

/// A rule: what it means, how it is found, and what it is to other rules. `examine` is a pure function of a window.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Rule {
    pub(crate) doc: RuleDoc,
    /// The cause in a few words, for the chain.
    pub(crate) name: &'static str,
    pub(crate) role: Role,
    /// Whether a finding of it is a sign of health, whatever the rule's role: what happened, and nobody was harmed by it.
    pub(crate) is_benign: fn(&Finding) -> bool,
    pub(crate) scope: Scope,
    /// The effect that it is: the chain starts there.
    pub(crate) effect: Option<EffectKind>,
    /// The effect that it reports on its own.
    pub(crate) reports: Option<EffectKind>,
    pub(crate) leads_to: &'static [Mechanism],
    pub(crate) subsumes: &'static [Subsumed],
    /// What tasks wait for by it: without such a wait its finding is a remark. Absent of growth, which hurts later, and of facts.
    pub(crate) loss: Option<Loss>,
    /// Says why the cause is not this one.
    pub(crate) clears: Option<fn(Suspicion<'_>) -> Option<Cleared>>,
    /// Scenarios of the catalogue that reproduce it.
    pub(crate) scenarios: &'static [&'static str],
    /// The observation that decides between it and another cause that fits.
    pub(crate) deciding_test: &'static str,
    pub(crate) examine: fn(&Window<'_>) -> Option<Finding>,
}

impl Rule {
    /// A cause, found in busy stretches, that explains only itself.
    pub(crate) const fn new(doc: RuleDoc, examine: fn(&Window<'_>) -> Option<Finding>) -> Self {
        Self {
            doc,
            name: doc.title,
            role: Role::Cause,
            is_benign: |_| false,
            scope: Scope::Busy,
            effect: None,
            reports: None,
            leads_to: &[],
            subsumes: &[],
            loss: Some(Loss::Stalls),
            clears: None,
            scenarios: &[],
            deciding_test: "",
            examine,
        }
    }

    /// Whether it is about memory that grows, which costs nobody time while some is free.
    pub(crate) fn grows(&self) -> bool {
        matches!(self.effect, Some(EffectKind::AnonGrows | EffectKind::SlabGrows))
    }
}
