//! Events of all CPUs in one order of time.
//!
//! Each ring is in order, but not relative to the others. Everything that happened before the *previous* drain began is in its ring
//! by the end of this one, so events up to that moment are sorted and handed out, and the rest waits.

use crate::event::Event;

/// Puts the events of several rings in order.
#[derive(Debug, Default)]
pub struct Order {
    waiting: Vec<Event>,
    /// When the last drain began.
    horizon_ns: u64,
    complete_ns: u64,
}

impl Order {
    /// Takes an event as it comes out of a ring.
    pub fn push(&mut self, event: Event) {
        self.waiting.push(event);
    }

    /// Ends a drain that began at `began_ns`, and hands out what is complete, in order of time.
    pub fn release(&mut self, began_ns: u64, out: &mut Vec<Event>) {
        self.complete_ns = self.horizon_ns;
        self.release_until(self.horizon_ns, out);
        self.horizon_ns = began_ns;
    }

    /// Everything up to this time was handed out.
    pub const fn complete_ns(&self) -> u64 {
        self.complete_ns
    }

    /// Hands out all that is left, when nothing more comes.
    pub fn release_all(&mut self, out: &mut Vec<Event>) {
        self.release_until(u64::MAX, out);
    }

    fn release_until(&mut self, horizon_ns: u64, out: &mut Vec<Event>) {
        self.waiting.sort_by_key(|event| event.time_ns);
        let complete = self.waiting.partition_point(|event| event.time_ns <= horizon_ns);
        out.extend(self.waiting.drain(..complete));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::Kind;
    use proptest::prelude::*;

    proptest! {
        /// Rings that are drained one after the other, while events go on, give one order and lose nothing.
        #[test]
        fn what_is_handed_out_is_in_order(times in proptest::collection::vec((0u64..1000, 0usize..3), 0..200), steps in 1u64..20) {
            let mut rings: Vec<Vec<u64>> = vec![Vec::new(); 3];
            for (time, ring) in &times {
                rings[*ring].push(*time);
            }
            rings.iter_mut().for_each(|ring| ring.sort_unstable());
            let (mut order, mut out) = (Order::default(), Vec::new());
            for step in 1..=steps {
                let began = step * 1000 / steps;
                for (number, ring) in rings.iter_mut().enumerate() {
                    // A ring that is drained later holds later events.
                    let until = began + number as u64 * 7;
                    let complete = ring.partition_point(|time| *time <= until);
                    for time_ns in ring.drain(..complete) {
                        order.push(Event { time_ns, pid: 1, tid: 1, kind: Kind::Exited });
                    }
                }
                order.release(began, &mut out);
            }
            order.release_all(&mut out);
            let found: Vec<u64> = out.iter().map(|event| event.time_ns).collect();
            let mut expected: Vec<u64> = times.iter().map(|(time, _)| *time).collect();
            expected.sort_unstable();
            prop_assert_eq!(found, expected);
        }
    }
}
