//! Independent work on all cores.

use std::sync::atomic::{AtomicUsize, Ordering};

/// Returns the results of `work` in the order of `items`. Each core works on one item at a time.
pub(crate) fn on_all_cores<I: Sync, T: Send>(items: &[I], work: impl Fn(&I) -> T + Sync) -> Vec<T> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from).min(items.len());
    on_cores(cores, items, work)
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

    #[test]
    #[should_panic(expected = "the third")]
    fn a_panic_on_another_core_is_a_panic_here() {
        on_cores(3, &[1, 2, 3, 4, 5, 6], |item| assert!(*item != 3, "the third"));
    }
}
