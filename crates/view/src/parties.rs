//! Who caused what happened, and who suffers from it.

use pagetide_core::{Actor, Diagnosis, Link, Recording, Table};

/// Culprits and victims of a diagnosis.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Parties {
    /// Where the cause comes from.
    pub culprits: Vec<Actor>,
    /// Where its effects are, and who lost time by it; none of them is a culprit.
    pub victims: Vec<Actor>,
}

/// The parties of a diagnosis of a recording. A disk whose measurements prove an effect, and which is no culprit, is a victim.
pub fn parties(diagnosis: &Diagnosis, recording: &Recording) -> Parties {
    let culprits: Vec<Actor> = diagnosis.cause.iter().flat_map(|cause| cause.origins.iter()).cloned().collect();
    let has_disk = |name: &str| recording.entities(Table::Disk).any(|(disk, _)| disk == name);
    let of_link = |link: &Link| {
        let is_of =
            |finding: &&pagetide_core::Finding| Some(finding.rule) == link.rule && finding.range.overlaps(link.range);
        let origins = diagnosis.findings.iter().find(is_of).map(|finding| finding.origins.clone());
        let disks = link.evidence.iter().filter_map(|item| item.source.rsplit_once(" of ")).map(|(_, disk)| disk);
        let slowed = disks.filter(|disk| has_disk(disk)).map(Actor::disk);
        origins.unwrap_or_default().iter().cloned().chain(slowed).collect::<Vec<_>>()
    };
    let losses = diagnosis.incidents.first().map_or(&[][..], |incident| &incident.losses);
    let lost = losses.iter().map(|loss| loss.victim.clone());
    let mut victims: Vec<Actor> = diagnosis.chain.iter().flat_map(of_link).chain(lost).collect();
    victims.retain(|victim| name(victim).is_some() && !culprits.iter().any(|culprit| culprit.is_same(victim)));
    victims.sort();
    victims.dedup_by(|one, other| one.is_same(other));
    Parties { culprits, victims }
}

/// The name for texts; absent for the host as a whole and for its root group.
fn name(actor: &Actor) -> Option<&str> {
    actor.name().filter(|name| name.len() > 1)
}

impl Parties {
    /// The names of the culprits, and those of the victims.
    pub(crate) fn names(&self) -> (Vec<String>, Vec<String>) {
        let names = |actors: &[Actor]| actors.iter().filter_map(name).map(str::to_owned).collect();
        (names(&self.culprits), names(&self.victims))
    }
}
