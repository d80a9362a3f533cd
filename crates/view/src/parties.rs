//! Who caused what happened, and who suffers from it.

use pagetide_core::{Diagnosis, Link, Recording, Table};

/// Culprits and victims of a diagnosis, as origins: `process:backup`, `disk:vda`, `cgroup:/shop`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Parties {
    /// Where the cause comes from.
    pub culprits: Vec<String>,
    /// Where its effects are, and who lost time by it; none of them is a culprit.
    pub victims: Vec<String>,
}

/// The parties of a diagnosis of a recording. A disk whose measurements prove an effect, and which is no culprit, is a victim.
pub fn parties(diagnosis: &Diagnosis, recording: &Recording) -> Parties {
    let culprits: Vec<String> = diagnosis.cause.iter().flat_map(|cause| &cause.origins).cloned().collect();
    let has_disk = |name: &str| recording.entities(Table::Disk).any(|(disk, _)| disk == name);
    let of_link = |link: &Link| {
        let is_of =
            |finding: &&pagetide_core::Finding| Some(finding.rule) == link.rule && finding.range.overlaps(link.range);
        let origins = diagnosis.findings.iter().find(is_of).map(|finding| finding.origins.clone());
        let disks = link.evidence.iter().filter_map(|item| item.source.rsplit_once(" of ")).map(|(_, disk)| disk);
        let slowed: Vec<String> = disks.filter(|disk| has_disk(disk)).map(|disk| format!("disk:{disk}")).collect();
        origins.unwrap_or_default().into_iter().chain(slowed)
    };
    let losses = diagnosis.incidents.first().map_or(&[][..], |incident| &incident.losses);
    let lost = losses.iter().map(|loss| loss.by.clone());
    let mut victims: Vec<String> = diagnosis.chain.iter().flat_map(of_link).chain(lost).collect();
    victims.retain(|victim| name(victim).is_some() && !culprits.contains(victim));
    victims.sort();
    victims.dedup();
    Parties { culprits, victims }
}

/// The name of an origin that stands in texts; absent of the host as a whole, and of its uppermost group.
fn name(origin: &str) -> Option<&str> {
    let (kind, name) = origin.split_once(':')?;
    (["process", "cgroup", "disk"].contains(&kind) && name.len() > 1).then_some(name)
}

impl Parties {
    /// The names of the culprits, and those of the victims.
    pub(crate) fn names(&self) -> (Vec<String>, Vec<String>) {
        let names = |origins: &[String]| origins.iter().filter_map(|origin| name(origin)).map(str::to_owned).collect();
        (names(&self.culprits), names(&self.victims))
    }
}
