//! The eviction matrix: who took how much from whom, and how much of that was read again.

use crate::actor::Actor;
use crate::event::{File, Scope};
use std::collections::{BTreeMap, HashMap, HashSet};

/// Pairs at most; the smallest are counted together as [`Victim::OTHERS`] of their evictor.
const PAIRS_MAX: usize = 4096;

/// By which way memory was reclaimed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Mechanism {
    /// The task reclaimed itself, for the host.
    Direct,
    /// The task reclaimed itself, in its control group.
    Group,
    /// kswapd did, for those who allocated.
    Kswapd,
}

impl From<Scope> for Mechanism {
    fn from(scope: Scope) -> Self {
        match scope {
            Scope::Direct => Self::Direct,
            Scope::Group => Self::Group,
        }
    }
}

/// Whose pages they were.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Victim {
    /// The file; `None` for the rest, when there are too many.
    pub file: Option<File>,
    /// The program that read or wrote it last, if the trace saw one.
    pub user: Option<Actor>,
}

impl Victim {
    /// All victims of an evictor that are too small to be kept one by one.
    pub const OTHERS: Self = Self { file: None, user: None };
}

/// An eviction by its two sides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Pair {
    /// How.
    pub mechanism: Mechanism,
    /// For whom; `None` until somebody has taken what kswapd freed.
    pub evictor: Option<Actor>,
    /// Whose.
    pub victim: Victim,
}

/// Pages of a pair, in pages of the sample; fractions come from kswapd's evictions, which are divided.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Evicted {
    /// Pages evicted.
    pub pages: f64,
    /// Of them: pages that were read again.
    pub read_again: f64,
}

impl Evicted {
    fn add(&mut self, other: Self) {
        self.pages += other.pages;
        self.read_again += other.read_again;
    }
}

/// The matrix.
#[derive(Debug, Default)]
pub(crate) struct Matrix {
    pairs: HashMap<Pair, Evicted>,
    /// kswapd's evictions that are not divided yet.
    undivided: BTreeMap<Victim, Evicted>,
    /// The victims of kswapd that have pairs of their own, or will.
    of_kswapd: HashSet<Victim>,
}

impl Matrix {
    /// Counts an eviction. `by` is absent for kswapd.
    pub(crate) fn evict(&mut self, by: Option<(Scope, Actor)>, victim: Victim) {
        if self.pairs.len() + self.undivided.len() >= PAIRS_MAX && !self.knows(by, victim) {
            self.fold();
        }
        if by.is_none() {
            self.of_kswapd.insert(victim);
        }
        self.entry(by, victim).pages += 1.0;
    }

    /// Adds the smaller half of the pairs up by evictor.
    fn fold(&mut self) {
        let mut sizes: Vec<f64> =
            self.pairs.values().chain(self.undivided.values()).map(|evicted| evicted.pages).collect();
        let middle = sizes.len() / 2;
        let (_, middle, _) = sizes.select_nth_unstable_by(middle, f64::total_cmp);
        let least = *middle;
        let small: Vec<Pair> = self
            .pairs
            .iter()
            .filter(|(pair, evicted)| evicted.pages <= least && pair.victim != Victim::OTHERS)
            .map(|(pair, _)| *pair)
            .collect();
        for pair in small {
            let evicted = self.pairs.remove(&pair).unwrap_or_default();
            self.pairs.entry(Pair { victim: Victim::OTHERS, ..pair }).or_default().add(evicted);
        }
        let waiting = std::mem::take(&mut self.undivided);
        for (victim, evicted) in waiting {
            let victim = if evicted.pages <= least { Victim::OTHERS } else { victim };
            self.undivided.entry(victim).or_default().add(evicted);
        }
        let of_kswapd = self.pairs.keys().filter(|pair| pair.mechanism == Mechanism::Kswapd).map(|pair| pair.victim);
        self.of_kswapd = of_kswapd.chain(self.undivided.keys().copied()).collect();
    }

    /// Counts that an evicted page is read again.
    pub(crate) fn read_again(&mut self, by: Option<(Scope, Actor)>, victim: Victim) {
        let known = self.knows(by, victim) || by.is_none() && self.of_kswapd.contains(&victim);
        self.entry(by, if known { victim } else { Victim::OTHERS }).read_again += 1.0;
    }

    fn knows(&self, by: Option<(Scope, Actor)>, victim: Victim) -> bool {
        match by {
            Some((scope, actor)) => self.pairs.contains_key(&own(scope, actor, victim)),
            None => self.undivided.contains_key(&victim),
        }
    }

    fn entry(&mut self, by: Option<(Scope, Actor)>, victim: Victim) -> &mut Evicted {
        match by {
            Some((scope, actor)) => self.pairs.entry(own(scope, actor, victim)).or_default(),
            None => self.undivided.entry(victim).or_default(),
        }
    }

    /// Divides kswapd's evictions since the last call among the programs that took frames in that time. Who gets a frame does not
    /// depend on whose page was in it, so all victims are divided alike. If nobody took any, the evictions wait.
    pub(crate) fn divide(&mut self, taken: &BTreeMap<Actor, u64>) {
        let all: u64 = taken.values().sum();
        let mut largest: Vec<(&Victim, &mut Evicted)> = self.undivided.iter_mut().collect();
        largest.sort_by(|a, b| b.1.pages.total_cmp(&a.1.pages));
        for (victim, evicted) in largest {
            let victim = if self.pairs.len() < PAIRS_MAX { *victim } else { Victim::OTHERS };
            for (actor, frames) in taken {
                let pair = Pair { mechanism: Mechanism::Kswapd, evictor: Some(*actor), victim };
                self.pairs.entry(pair).or_default().pages += evicted.pages * *frames as f64 / all as f64;
            }
            if all > 0 {
                evicted.pages = 0.0;
            }
        }
        self.divide_read_again();
        self.undivided.retain(|_, evicted| evicted.pages > 0.0 || evicted.read_again > 0.0);
    }

    /// A page that is read again may have been evicted long before, so it is divided like this victim's evictions so far.
    fn divide_read_again(&mut self) {
        let mut by_victim: BTreeMap<Victim, f64> = self
            .undivided
            .iter()
            .filter(|(_, evicted)| evicted.read_again > 0.0)
            .map(|(victim, _)| (*victim, 0.0))
            .collect();
        let of_kswapd = |pair: &Pair| pair.mechanism == Mechanism::Kswapd;
        for (pair, evicted) in self.pairs.iter().filter(|(pair, _)| of_kswapd(pair)) {
            if let Some(sum) = by_victim.get_mut(&pair.victim) {
                *sum += evicted.pages;
            }
        }
        for (pair, evicted) in self.pairs.iter_mut().filter(|(pair, _)| of_kswapd(pair)) {
            if let Some(sum) = by_victim.get(&pair.victim)
                && *sum > 0.0
                && let Some(waiting) = self.undivided.get(&pair.victim)
            {
                evicted.read_again += waiting.read_again * evicted.pages / sum;
            }
        }
        for (victim, _) in by_victim.into_iter().filter(|(_, sum)| *sum > 0.0) {
            self.undivided.entry(victim).or_default().read_again = 0.0;
        }
    }

    /// All pairs; frames that kswapd freed and nobody has taken yet have no evictor.
    pub(crate) fn pairs(&self) -> impl Iterator<Item = (Pair, Evicted)> {
        let nobody = |victim| Pair { mechanism: Mechanism::Kswapd, evictor: None, victim };
        let waiting = self.undivided.iter().map(move |(victim, evicted)| (nobody(*victim), *evicted));
        self.pairs.iter().map(|(pair, evicted)| (*pair, *evicted)).chain(waiting)
    }
}

fn own(scope: Scope, actor: Actor, victim: Victim) -> Pair {
    Pair { mechanism: scope.into(), evictor: Some(actor), victim }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::actor::tests::actors;
    use proptest::prelude::*;

    fn victim(ino: u64) -> Victim {
        Victim { file: Some(File { dev: 1, ino }), user: None }
    }

    proptest! {
        /// However kswapd's evictions are divided, none is lost and none is invented.
        #[test]
        fn dividing_keeps_the_sums(rounds in proptest::collection::vec((proptest::collection::vec((0u64..4, any::<bool>()), 0..40), 0u64..5, 0u64..5), 1..8)) {
            let [a, b] = actors();
            let mut matrix = Matrix::default();
            let (mut evicted, mut again) = (BTreeMap::new(), BTreeMap::new());
            for (events, of_a, of_b) in rounds {
                for (ino, read) in events {
                    matrix.evict(None, victim(ino));
                    *evicted.entry(ino).or_insert(0.0) += 1.0;
                    if read {
                        matrix.read_again(None, victim(ino));
                        *again.entry(ino).or_insert(0.0) += 1.0;
                    }
                }
                let taken = [(a, of_a), (b, of_b)].into_iter().filter(|(_, frames)| *frames > 0).collect();
                matrix.divide(&taken);
            }
            for (ino, pages) in evicted {
                let of_victim = || matrix.pairs().filter(|(pair, _)| pair.victim == victim(ino));
                prop_assert!((of_victim().map(|(_, evicted)| evicted.pages).sum::<f64>() - pages).abs() < 1e-6);
                let sum: f64 = of_victim().map(|(_, evicted)| evicted.read_again).sum();
                prop_assert!((sum - again.get(&ino).copied().unwrap_or(0.0)).abs() < 1e-6);
            }
        }
    }

    #[test]
    fn kswapds_evictions_go_to_those_who_took_the_frames() {
        let [a, b] = actors();
        let mut matrix = Matrix::default();
        for _ in 0..100 {
            matrix.evict(None, victim(1));
        }
        matrix.divide(&BTreeMap::new());
        assert_eq!(matrix.pairs().next().unwrap().0.evictor, None);
        matrix.divide(&BTreeMap::from([(a, 1), (b, 3)]));
        let mut found: Vec<_> = matrix.pairs().map(|(pair, evicted)| (pair.evictor, evicted.pages)).collect();
        found.sort_by_key(|(evictor, _)| *evictor);
        assert_eq!(found, [(Some(a), 25.0), (Some(b), 75.0)]);
    }

    #[test]
    fn pairs_are_bounded_and_their_pages_are_not_lost() {
        let [a, _] = actors();
        let mut matrix = Matrix::default();
        let by = Some((Scope::Group, a));
        for ino in 0..10_000 {
            matrix.evict(by, victim(ino));
        }
        assert!(matrix.pairs().count() <= PAIRS_MAX);
        assert!((matrix.pairs().map(|(_, evicted)| evicted.pages).sum::<f64>() - 10_000.0).abs() < 1e-6);
        // One that comes late and is large has its own row, also when it is read again, and when more small ones come.
        (0..500).for_each(|_| matrix.evict(by, victim(20_000)));
        (0..300).for_each(|_| matrix.read_again(by, victim(20_000)));
        (30_000..40_000).for_each(|ino| matrix.evict(by, victim(ino)));
        matrix.read_again(by, victim(1));
        let of = |victim| matrix.pairs().find(|(pair, _)| pair.victim == victim).unwrap().1;
        assert_eq!(of(victim(20_000)), Evicted { pages: 500.0, read_again: 300.0 });
        assert_eq!(of(Victim::OTHERS).read_again, 1.0);
        assert_eq!(matrix.pairs().map(|(_, evicted)| evicted.pages).sum::<f64>(), 20_500.0);
    }
}
