//! Actors: programs by name and control group, so that a hundred processes of one service count as one.

use crate::name::printable;
use std::collections::HashMap;

/// How long an identity is trusted before it is read again, because processes move between groups.
const TRUST_NS: u64 = 1_000_000_000;

/// Most identities; later programs are counted together.
const IDENTITIES_MAX: usize = 1 << 14;

/// A program in a control group, of a user.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Identity {
    /// The name of the process (`/proc/PID/comm`).
    pub comm: String,
    /// The path of its memory control group; `/` for the root group.
    pub group: String,
    /// The user that it runs as; absent if it ended before it was read, and in recordings of earlier versions.
    pub uid: Option<u32>,
}

/// The number of an [`Identity`] within one analysis.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Actor(u32);

/// The number of a control group within one analysis.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Group(u32);

/// Says who a process is; `None` when it has ended.
pub trait Processes {
    /// Name and control group of a process.
    fn identity(&mut self, pid: u32) -> Option<Identity>;

    /// Whether memory control groups are those of this hierarchy.
    fn is_memory_hierarchy(&self, hierarchy: u32) -> bool;
}

/// Processes by id, as far as they were seen.
#[derive(Debug)]
pub(crate) struct Actors<P> {
    processes: P,
    known: HashMap<u32, Known>,
    identities: Vec<(Identity, Group)>,
    by_identity: HashMap<Identity, Actor>,
    groups: Vec<String>,
}

#[derive(Debug, Clone, Copy)]
struct Known {
    actor: Actor,
    /// When `processes` confirmed it; 0 when it is inherited.
    asked_ns: u64,
    /// The process that started it, while its group is inherited.
    parent: Option<u32>,
}

impl<P: Processes> Actors<P> {
    pub(crate) fn new(processes: P) -> Self {
        Self {
            processes,
            known: HashMap::new(),
            identities: Vec::new(),
            by_identity: HashMap::new(),
            groups: Vec::new(),
        }
    }

    /// The identity of a process. One that has ended keeps its name and gets its parent's present group: a program that starts
    /// others moves to their group first, often within the second that its own identity is trusted.
    pub(crate) fn of(&mut self, pid: u32, now_ns: u64) -> Actor {
        let known = self.known.get(&pid).copied();
        if let Some(known) = known
            && known.asked_ns != 0
            && now_ns.saturating_sub(known.asked_ns) < TRUST_NS
        {
            return known.actor;
        }
        let actor = match (self.processes.identity(pid), known) {
            (Some(identity), _) => self.number(identity),
            (None, Some(known)) => match known.parent.and_then(|parent| self.processes.identity(parent)) {
                Some(parent) => {
                    let Identity { comm, uid, .. } = self.identity(known.actor).clone();
                    self.number(Identity { comm, uid, ..parent })
                }
                None => known.actor,
            },
            (None, None) => self.number(Identity { comm: "(ended)".into(), group: "(unknown)".into(), uid: None }),
        };
        self.known.insert(pid, Known { actor, asked_ns: now_ns.max(1), parent: None });
        actor
    }

    /// A process was started: it has its parent's identity until it changes its own.
    pub(crate) fn forked(&mut self, pid: u32, parent: u32, now_ns: u64) {
        if pid != parent {
            let actor = self.of(parent, now_ns);
            self.known.insert(pid, Known { actor, asked_ns: 0, parent: Some(parent) });
        }
    }

    /// A process was moved to this control group: its identity is read again, and if it has already ended, this is its group.
    pub(crate) fn moved(&mut self, pid: u32, hierarchy: u32, group: &str, now_ns: u64) {
        if !self.processes.is_memory_hierarchy(hierarchy) {
            return;
        }
        let known = self.known.get(&pid).map(|known| self.identity(known.actor).clone());
        let identity = self.processes.identity(pid).or_else(|| Some(Identity { group: group.to_owned(), ..known? }));
        if let Some(identity) = identity {
            let actor = self.number(identity);
            self.known.insert(pid, Known { actor, asked_ns: now_ns.max(1), parent: None });
        }
    }

    /// A process has a new name: it runs another program, perhaps as another user.
    pub(crate) fn named(&mut self, pid: u32, comm: &str) {
        let known = self.known.get(&pid);
        let before = known.map(|known| self.identity(known.actor));
        let group = before.map_or_else(|| "(unknown)".to_owned(), |before| before.group.clone());
        let parent = known.and_then(|known| known.parent);
        let actor = self.number(Identity { comm: comm.to_owned(), group, uid: None });
        self.known.insert(pid, Known { actor, asked_ns: 0, parent });
    }

    /// A process has ended; its number may return.
    pub(crate) fn ended(&mut self, pid: u32) {
        self.known.remove(&pid);
    }

    /// Starts and ends of processes were missed for a while: all identities are read again.
    pub(crate) fn forget(&mut self) {
        self.known.clear();
    }

    /// The number of an identity, the same each time.
    #[expect(clippy::cast_possible_truncation, reason = "at most IDENTITIES_MAX")]
    fn number(&mut self, identity: Identity) -> Actor {
        let mut identity =
            Identity { comm: program(&identity.comm), group: printable(&identity.group), uid: identity.uid };
        if self.identities.len() >= IDENTITIES_MAX && !self.by_identity.contains_key(&identity) {
            identity = Identity { comm: "(others)".into(), group: "(others)".into(), uid: None };
        }
        if let Some(actor) = self.by_identity.get(&identity) {
            return *actor;
        }
        let group = self.groups.iter().position(|group| *group == identity.group).unwrap_or_else(|| {
            self.groups.push(identity.group.clone());
            self.groups.len() - 1
        });
        let actor = Actor(self.identities.len() as u32);
        self.identities.push((identity.clone(), Group(group as u32)));
        self.by_identity.insert(identity, actor);
        actor
    }

    /// Who an actor is.
    pub(crate) fn identity(&self, actor: Actor) -> &Identity {
        &self.identities[actor.0 as usize].0
    }

    pub(crate) fn group(&self, actor: Actor) -> Group {
        self.identities[actor.0 as usize].1
    }

    pub(crate) fn group_path(&self, group: Group) -> &str {
        &self.groups[group.0 as usize]
    }
}

/// The name of a program: all kernel workers share one, and control characters are replaced.
fn program(comm: &str) -> String {
    if comm.starts_with("kworker/") { "kworker".to_owned() } else { printable(comm) }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Two programs for the tests of other files.
    pub(crate) fn actors() -> [Actor; 2] {
        [Actor(0), Actor(1)]
    }

    struct Table(HashMap<u32, (&'static str, &'static str)>);

    impl Processes for Table {
        fn identity(&mut self, pid: u32) -> Option<Identity> {
            self.0.get(&pid).map(|(comm, group)| Identity {
                comm: (*comm).into(),
                group: (*group).into(),
                uid: Some(7),
            })
        }

        fn is_memory_hierarchy(&self, hierarchy: u32) -> bool {
            hierarchy == 4
        }
    }

    fn seen(actors: &mut Actors<Table>, pid: u32, now_ns: u64) -> (String, String) {
        let actor = actors.of(pid, now_ns);
        let Identity { comm, group, .. } = actors.identity(actor).clone();
        (comm, group)
    }

    #[test]
    fn a_short_lived_process_has_its_name_and_the_group_of_its_parent() {
        let mut actors = Actors::new(Table(HashMap::from([(1, ("sh", "/a"))])));
        actors.forked(7, 1, 10);
        assert_eq!(seen(&mut actors, 7, 11), ("sh".into(), "/a".into()));
        actors.forked(8, 1, 10);
        actors.named(8, "tar");
        assert_eq!(seen(&mut actors, 8, 12), ("tar".into(), "/a".into()));
        actors.ended(8);
        assert_eq!(seen(&mut actors, 8, 13).0, "(ended)");
    }

    #[test]
    fn the_user_of_a_program_that_ended_is_not_that_of_its_parent() {
        let mut actors = Actors::new(Table(HashMap::from([(1, ("sh", "/a"))])));
        let uid = |actors: &mut Actors<Table>, pid| {
            let actor = actors.of(pid, 12);
            actors.identity(actor).uid
        };
        actors.forked(7, 1, 10);
        assert_eq!(uid(&mut actors, 7), Some(7), "a child that runs the same program");
        actors.forked(8, 1, 10);
        actors.named(8, "su");
        actors.named(8, "tar");
        assert_eq!(uid(&mut actors, 8), None, "it may have become another user");
    }

    #[test]
    fn a_short_lived_process_has_the_group_to_which_its_parent_had_just_moved() {
        let mut actors = Actors::new(Table(HashMap::from([(1, ("sh", "/a"))])));
        assert_eq!(seen(&mut actors, 1, 5).1, "/a");
        actors.processes.0.insert(1, ("sh", "/b"));
        actors.forked(7, 1, 6);
        actors.named(7, "tar");
        assert_eq!(seen(&mut actors, 7, 7), ("tar".into(), "/b".into()));
        actors.processes.0.remove(&1);
        actors.forked(8, 1, 8);
        assert_eq!(seen(&mut actors, 8, 9), ("sh".into(), "/a".into()), "nobody is left to ask");
    }

    #[test]
    fn a_move_is_known_at_once_and_to_children_of_the_ended() {
        let mut actors = Actors::new(Table(HashMap::from([(1, ("sh", "/a"))])));
        assert_eq!(seen(&mut actors, 1, 5).1, "/a");
        actors.processes.0.remove(&1);
        actors.moved(1, 9, "/other", 6);
        assert_eq!(seen(&mut actors, 1, 7).1, "/a", "another hierarchy");
        actors.moved(1, 4, "/b", 7);
        actors.forked(7, 1, 8);
        actors.named(7, "tar");
        assert_eq!(seen(&mut actors, 7, 9), ("tar".into(), "/b".into()));
    }

    #[test]
    fn a_process_that_moves_is_found_in_its_new_group() {
        let mut actors = Actors::new(Table(HashMap::from([(1, ("db", "/a"))])));
        assert_eq!(seen(&mut actors, 1, 5).1, "/a");
        actors.processes.0.insert(1, ("db", "/b"));
        assert_eq!(seen(&mut actors, 1, 6).1, "/a", "an identity is trusted for a second");
        assert_eq!(seen(&mut actors, 1, 5 + TRUST_NS).1, "/b");
    }
}
