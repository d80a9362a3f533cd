//! Which task has a CPU next (`kernel/sched/fair.c`, 6.1 and 6.12). All CPUs have one queue, and all tasks one weight.

use crate::machine::Release;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The longest that a task has a CPU while others wait for one, ns (`sysctl_sched_base_slice`, 6.12).
pub(crate) const SLICE: u64 = 3_000_000;
/// By how much less CPU time a task must have had to take the CPU from another one before its slice is over, ns (`sysctl_sched_wakeup_granularity` for
/// two CPUs, 6.1).
const WAKEUP_GRANULARITY: u64 = 2_000_000;

/// What the scheduler knows of a task (`struct sched_entity`).
#[derive(Debug, Clone, Default)]
struct Entity {
    /// CPU time that it had until its slice began, ns, at least as much as tasks that sleep are taken to have had (`vruntime`).
    virtual_runtime: u64,
    /// CPU time that it had of its slice, ns.
    slice: u64,
    sleeps: bool,
    /// The number of its place in the queue; 0 while it does not wait for a CPU.
    place: u64,
}

/// The tasks that wait for a CPU.
#[derive(Debug)]
pub(crate) struct RunQueue {
    release: Release,
    entities: Vec<Entity>,
    /// Virtual runtime, number, task. Places whose task has another number are void.
    queue: BinaryHeap<Reverse<(u64, u64, u32)>>,
    waiting: usize,
    places: u64,
    /// The virtual runtime of the task that had a CPU last, which never falls (`min_vruntime`).
    virtual_time: u64,
}

impl RunQueue {
    pub(crate) fn new(release: Release) -> Self {
        Self { release, entities: Vec::new(), queue: BinaryHeap::new(), waiting: 0, places: 0, virtual_time: 0 }
    }

    /// Adds a task, which sleeps.
    pub(crate) fn add(&mut self) {
        self.entities.push(Entity { sleeps: true, ..Entity::default() });
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.waiting == 0
    }

    /// A task waits for a CPU. Who slept had as much CPU time as the others less a slice at least (`place_entity`: half of the latency in 6.1, its lag
    /// in 6.12). Who goes on within its slice is the first, on 6.1 unless another one had much less (`wakeup_preempt_entity`; `RUN_TO_PARITY`).
    pub(crate) fn enqueue(&mut self, task: u32) {
        self.dequeue(task);
        self.places += 1;
        self.waiting += 1;
        let entity = &mut self.entities[task as usize];
        if std::mem::take(&mut entity.sleeps) {
            entity.virtual_runtime = entity.virtual_runtime.max(self.virtual_time.saturating_sub(SLICE));
        }
        let key = match self.release {
            _ if entity.slice == 0 => entity.virtual_runtime,
            Release::V6_1 => (entity.virtual_runtime + entity.slice).saturating_sub(WAKEUP_GRANULARITY),
            Release::V6_12 => 0,
        };
        entity.place = self.places;
        self.queue.push(Reverse((key, self.places, task)));
    }

    /// A task does not wait for a CPU any more.
    pub(crate) fn dequeue(&mut self, task: u32) {
        if std::mem::take(&mut self.entities[task as usize].place) > 0 {
            self.waiting -= 1;
        }
    }

    /// The task that has a CPU next.
    pub(crate) fn pick(&mut self) -> Option<u32> {
        while let Some(Reverse((_, place, task))) = self.queue.pop() {
            if self.entities[task as usize].place == place {
                self.dequeue(task);
                self.virtual_time = self.virtual_time.max(self.entities[task as usize].virtual_runtime);
                return Some(task);
            }
        }
        None
    }

    /// CPU time that is left of a task's slice, ns.
    pub(crate) fn slice_left(&self, task: u32) -> u64 {
        SLICE - self.entities[task as usize].slice
    }

    /// Whether a task that has a CPU may lose it to one that wakes up before its slice is over.
    pub(crate) fn preempts(&self) -> bool {
        self.release == Release::V6_1
    }

    /// A task had a CPU for `used` ns, and sleeps then or would go on.
    pub(crate) fn ran(&mut self, task: u32, used: u64, sleeps: bool) {
        let entity = &mut self.entities[task as usize];
        entity.slice += used;
        entity.sleeps = sleeps;
        if sleeps || entity.slice >= SLICE {
            entity.virtual_runtime += std::mem::take(&mut entity.slice);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The order in which three tasks that always compute have one CPU, and a fourth that wakes up after some slices.
    fn order(release: Release, wakes_after: usize, used: u64) -> Vec<u32> {
        let mut queue = RunQueue::new(release);
        (0..4).for_each(|_| queue.add());
        (0..3).for_each(|task| queue.enqueue(task));
        let mut order = Vec::new();
        for turn in 0..24 {
            if turn == wakes_after {
                queue.enqueue(3);
            }
            let task = queue.pick().unwrap();
            order.push(task);
            queue.ran(task, used, task == 3);
            if task != 3 {
                queue.enqueue(task);
            }
        }
        order
    }

    #[test]
    fn tasks_take_turns_and_who_slept_is_the_next() {
        let turns = order(Release::V6_12, 4, SLICE);
        assert_eq!(turns[..14], [0, 1, 2, 0, 3, 1, 2, 0, 1, 2, 0, 1, 2, 0]);
    }

    #[test]
    fn a_task_has_the_rest_of_its_slice_unless_one_wakes_up_on_6_1() {
        // Thirds of a slice: each task had two slices, and the first is at its third.
        let after = |release, wakes_after| {
            let turns = order(release, wakes_after, SLICE / 3);
            turns.iter().position(|task| *task == 3).unwrap() - wakes_after
        };
        assert_eq!((after(Release::V6_12, 19), after(Release::V6_12, 20)), (2, 1));
        assert_eq!(after(Release::V6_1, 19), 0);
    }

    #[test]
    fn who_slept_long_has_no_more_than_a_slice_in_advance() {
        let mut queue = RunQueue::new(Release::V6_12);
        (0..2).for_each(|_| queue.add());
        for _ in 0..100 {
            queue.enqueue(0);
            assert_eq!(queue.pick(), Some(0));
            queue.ran(0, SLICE, false);
        }
        queue.enqueue(0);
        let mut turns = Vec::new();
        queue.enqueue(1);
        for _ in 0..6 {
            let task = queue.pick().unwrap();
            turns.push(task);
            queue.ran(task, SLICE, false);
            queue.enqueue(task);
        }
        assert_eq!(turns.iter().filter(|task| **task == 1).count(), 4, "{turns:?}");
    }

    #[test]
    fn who_ends_while_it_waits_is_not_picked() {
        let mut queue = RunQueue::new(Release::V6_1);
        (0..2).for_each(|_| queue.add());
        queue.enqueue(0);
        queue.enqueue(1);
        queue.dequeue(0);
        assert_eq!((queue.pick(), queue.is_empty(), queue.pick()), (Some(1), true, None));
    }
}
