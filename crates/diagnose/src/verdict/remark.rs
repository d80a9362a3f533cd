//! What is said of a host that is well, though a rule found something: no service lost notable time by it.

use crate::actors::newcomer;
use crate::evidence::EvidenceBuilder;
use crate::evidence::threshold::IDLE;
use crate::examine::stretches::Stretches;
use crate::ledger::{self, UNOWNED};
use crate::measure::amount::Amount;
use crate::rules;
use crate::rules::contract::{Loss, Role};
use pagetide_core::{Finding, Ledger, Nanos, Relation, RuleId};

/// Whether a finding that harms no service is a remark. That caches were dropped, and that a program reads files for the first time, is what happened:
/// it tells why the program was slower for a while.
pub(crate) fn is_remark(stretches: &Stretches<'_>, finding: &Finding) -> bool {
    match finding.rule {
        RuleId::CachesDropped => false,
        RuleId::ColdCache => {
            stretches.whole.as_ref().is_some_and(|whole| newcomer::reads_once(&whole.over(finding.range)))
        }
        _ => rules::role(finding) != Role::Benign,
    }
}

/// The first finding by which, as the recording shows, nobody lost time that matters, where there is none by which somebody did.
pub(crate) fn unharmful(stretches: &Stretches<'_>, findings: &[Finding]) -> Option<usize> {
    let whole = stretches.whole.as_ref()?;
    let waits = |finding: &&Finding| {
        rules::role(finding) <= Role::Effect && rules::by_id(finding.rule).loss == Some(Loss::Stalls)
    };
    let harms = |finding: &Finding| stretches.losses.harms(whole, finding);
    let known = stretches.losses.measured(Loss::Stalls) && !findings.iter().filter(waits).any(harms);
    findings.iter().position(|finding| waits(&finding)).filter(|_| known)
}

/// That the host is well beside a remark: what jobs wait for at their own limits is no harm to services. Where their waits were not recorded, that
/// CPUs idle, and not for IO; absent where they do not.
pub(crate) fn well(stretches: &Stretches<'_>, ledger: Option<&Ledger>, remark: &Finding) -> Option<Finding> {
    let whole = stretches.whole.as_ref()?;
    let mut found = EvidenceBuilder::new(whole);
    if !stretches.losses.measured(Loss::Stalls) {
        let idle = whole.over(remark.range).idle().filter(|_| !stretches.losses.lose(whole, remark.range))?;
        found.compare(
            WEIGHT,
            "CPUs idle or waiting for IO",
            "cpu_idle + cpu_iowait",
            idle,
            Relation::Above,
            IDLE.value(),
        );
        return found.finish(RuleId::Healthy, UNHARMED.to_owned(), Vec::new());
    }
    let lost = Amount::<Nanos>::new(ledger.map_or(0, |ledger| ledger.lost_ns) as f64);
    let noticed = ledger.map_or(UNOWNED.value(), |ledger| ledger::noticeable(ledger.range));
    found.compare(
        WEIGHT,
        "time lost by the service that lost most",
        "psi_io_some, psi_memory_some and psi_cpu_some of its group",
        lost,
        Relation::Below,
        noticed,
    );
    found.finish(RuleId::Healthy, UNHARMED.to_owned(), Vec::new())
}

const UNHARMED: &str = "No service lost notable time.";

/// Moderate evidence: some numbers of the host are not those of one that is well.
const WEIGHT: f64 = 2.5;
