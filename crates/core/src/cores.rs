//! Independent work on all cores. How many there are is all that this crate asks the system, and it changes no result.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{LazyLock, mpsc};

/// Operations that share the cores.
static SHARES: AtomicUsize = AtomicUsize::new(1);

/// Gives each of so many operations that run at once its share of the cores: who keeps all of them busy gains nothing by more threads.
pub fn share_cores(operations: usize) {
    SHARES.store(operations.max(1), Ordering::Relaxed);
}

/// The cores that an operation of this process may use.
pub fn cores() -> usize {
    // The system is asked once: that reads several files.
    static ALL: LazyLock<usize> = LazyLock::new(|| std::thread::available_parallelism().map_or(1, usize::from));
    (*ALL / SHARES.load(Ordering::Relaxed)).max(1)
}

/// Returns the results of `work` in the order of `items`. Each core works on one item at a time.
pub fn on_all_cores<I: Sync, T: Send>(items: &[I], work: impl Fn(&I) -> T + Sync) -> Vec<T> {
    on_cores(cores().min(items.len()), items, work)
}

fn on_cores<I: Sync, T: Send>(cores: usize, items: &[I], work: impl Fn(&I) -> T + Sync) -> Vec<T> {
    if cores < 2 {
        return items.iter().map(work).collect();
    }
    let next = AtomicUsize::new(0);
    let one_core = || {
        let items = std::iter::from_fn(|| {
            let at = next.fetch_add(1, Ordering::Relaxed);
            items.get(at).map(|item| (at, item))
        });
        items.map(|(at, item)| (at, work(item))).collect::<Vec<_>>()
    };
    let mut done = std::thread::scope(|scope| {
        let others: Vec<_> = (1..cores).map(|_| scope.spawn(one_core)).collect();
        let mut done = one_core();
        for other in others {
            done.extend(other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        }
        done
    });
    done.sort_unstable_by_key(|(at, _)| *at);
    done.into_iter().map(|(_, done)| done).collect()
}

/// Calls `take` on this thread with each item and the result of `work` for it, in the order of `items`, while so many other threads work on the
/// items that follow: each on one at a time, whose result it keeps until it is taken. The first error of `take` ends it.
pub fn in_order<I: Sync, T: Send, E>(
    threads: usize,
    items: &[I],
    work: impl Fn(&I) -> T + Sync,
    mut take: impl FnMut(&I, T) -> Result<(), E>,
) -> Result<(), E> {
    let threads = threads.min(items.len());
    if threads < 2 {
        return items.iter().try_for_each(|item| take(item, work(item)));
    }
    let work = &work;
    std::thread::scope(|scope| {
        let thread = |first: usize| {
            // Nothing fits in between: a result waits where it was made.
            let (give, done) = mpsc::sync_channel(0);
            let mut own = items.iter().skip(first).step_by(threads);
            // Nobody takes any more after an error.
            scope.spawn(move || own.try_for_each(|item| give.send(work(item))).ok());
            done
        };
        let done: Vec<_> = (0..threads).map(thread).collect();
        // A thread that panicked gives no more, and the scope panics.
        let results = (0..items.len()).map_while(|at| done[at % threads].recv().ok());
        items.iter().zip(results).try_for_each(|(item, result)| take(item, result))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_order_is_that_of_the_items_on_any_number_of_cores(cores in 0usize..9, items in prop::collection::vec(any::<u32>(), 0..40)) {
            let double = |item: &u32| u64::from(*item) * 2;
            prop_assert_eq!(on_cores(cores, &items, double), items.iter().map(double).collect::<Vec<_>>());
        }
    }

    proptest! {
        #[test]
        fn results_are_taken_in_order_up_to_the_first_error(
            threads in 0usize..5,
            items in prop::collection::vec(any::<u32>(), 0..40),
            error in 0usize..50,
        ) {
            let mut taken = Vec::new();
            let take = |_: &u32, double: u64| {
                taken.push(double);
                if taken.len() > error { Err(taken.len()) } else { Ok(()) }
            };
            let ended = in_order(threads, &items, |item| u64::from(*item) * 2, take);
            prop_assert_eq!(ended.err(), (error < items.len()).then_some(error + 1));
            let all: Vec<u64> = items.iter().take(error + 1).map(|item| u64::from(*item) * 2).collect();
            prop_assert_eq!(taken, all);
        }
    }

    #[test]
    #[should_panic(expected = "panicked")]
    fn a_thread_that_panics_gives_no_result_and_no_end() {
        let work = |item: &u32| assert!(*item != 3, "the third panicked");
        in_order(2, &[1, 2, 3, 4, 5, 6], work, |_, ()| Ok::<(), ()>(())).unwrap();
    }

    #[test]
    #[should_panic(expected = "the third")]
    fn a_panic_on_another_core_is_a_panic_here() {
        on_cores(3, &[1, 2, 3, 4, 5, 6], |item| assert!(*item != 3, "the third"));
    }
}
