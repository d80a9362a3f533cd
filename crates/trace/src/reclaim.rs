//! Which tasks reclaim at the moment, and how long they did.

use crate::actor::Actor;
use crate::event::Scope;
use std::collections::{BTreeMap, HashMap};

/// Reclaim by the tasks of one program.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ReclaimTime {
    /// How often.
    pub calls: u64,
    /// How long in all.
    pub time_ns: u64,
}

/// The tasks in reclaim, and the time spent so far.
#[derive(Debug, Default)]
pub(crate) struct Reclaim {
    running: HashMap<u32, Running>,
    spent: BTreeMap<(Actor, Scope), ReclaimTime>,
    woken: BTreeMap<Actor, u64>,
}

#[derive(Debug, Clone, Copy)]
struct Running {
    scope: Scope,
    actor: Actor,
    began_ns: u64,
}

impl Reclaim {
    pub(crate) fn begin(&mut self, tid: u32, actor: Actor, scope: Scope, now_ns: u64) {
        // Direct reclaim may contain reclaim of a group (its soft limit): the outer one counts.
        self.running.entry(tid).or_insert(Running { scope, actor, began_ns: now_ns });
    }

    pub(crate) fn end(&mut self, tid: u32, scope: Scope, now_ns: u64) {
        if self.running.get(&tid).is_some_and(|running| running.scope == scope)
            && let Some(running) = self.running.remove(&tid)
        {
            let spent = self.spent.entry((running.actor, scope)).or_default();
            spent.calls += 1;
            spent.time_ns += now_ns.saturating_sub(running.began_ns);
        }
    }

    /// Which reclaim a task runs, if any.
    pub(crate) fn of(&self, tid: u32) -> Option<(Scope, Actor)> {
        self.running.get(&tid).map(|running| (running.scope, running.actor))
    }

    pub(crate) fn woke_kswapd(&mut self, actor: Actor) {
        *self.woken.entry(actor).or_default() += 1;
    }

    /// A task that ends does not reclaim any more.
    pub(crate) fn ended(&mut self, tid: u32) {
        self.running.remove(&tid);
    }

    /// Records were lost: an end may be among them.
    pub(crate) fn forget(&mut self) {
        self.running.clear();
    }

    pub(crate) const fn spent(&self) -> &BTreeMap<(Actor, Scope), ReclaimTime> {
        &self.spent
    }

    pub(crate) const fn woken(&self) -> &BTreeMap<Actor, u64> {
        &self.woken
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::actor::tests::actors;

    #[test]
    fn only_whole_reclaims_count() {
        let [a, b] = actors();
        let mut reclaim = Reclaim::default();
        reclaim.end(1, Scope::Group, 5); // It began before the trace.
        reclaim.begin(1, a, Scope::Direct, 10);
        reclaim.begin(1, a, Scope::Group, 12);
        reclaim.end(1, Scope::Group, 14);
        assert_eq!(reclaim.of(1), Some((Scope::Direct, a)));
        reclaim.end(1, Scope::Direct, 20);
        reclaim.begin(2, b, Scope::Group, 30);
        reclaim.forget();
        reclaim.end(2, Scope::Group, 90);
        assert_eq!(reclaim.of(1), None);
        let spent: Vec<_> = reclaim.spent().iter().map(|(key, spent)| (*key, *spent)).collect();
        assert_eq!(spent, [((a, Scope::Direct), ReclaimTime { calls: 1, time_ns: 10 })]);
    }
}
