//! DAMON: what the kernel does by itself with memory that is not accessed (`mm/damon/sysfs.c`, since Linux 5.18).
//!
//! A scheme with the action `pageout` takes pages out of the page cache although nobody needs memory. This skews measurements
//! of a cache.

use crate::Root;

/// Where the kernel lists its threads.
const KDAMONDS: &str = "sys/kernel/mm/damon/admin/kdamonds";

/// Whether DAMON is there and this user may not read what it does.
pub fn is_hidden(root: &Root) -> bool {
    use std::io::ErrorKind;
    let count = std::fs::read(root.join(format!("{KDAMONDS}/nr_kdamonds")));
    count.is_err_and(|error| error.kind() == ErrorKind::PermissionDenied)
}

/// The actions of the schemes that are at work now, such as `pageout` or `stat`, in no order, each once. Empty where there is no
/// DAMON, or it may not be read ([`is_hidden`]).
pub fn actions(root: &Root) -> Vec<String> {
    let mut actions = Vec::new();
    for (_, scheme) in schemes(root) {
        let action = root.read(format!("{scheme}/action")).map(|action| action.trim().to_owned());
        actions.extend(action.ok().filter(|action| !actions.contains(action)));
    }
    actions
}

/// The `state` files of the threads whose schemes evict pages: `update_schemes_stats` written to one has the kernel write down what they did.
pub fn evicting(root: &Root) -> Vec<String> {
    let mut states: Vec<String> = evicting_schemes(root).map(|(kdamond, _)| format!("{kdamond}/state")).collect();
    states.dedup();
    states
}

/// Bytes that schemes with the action `pageout` have evicted or swapped out since they were started (`stats/sz_applied`), as the kernel wrote
/// them down last; absent where no such scheme is at work, or its statistics may not be read.
pub fn evicted(root: &Root) -> Option<u64> {
    let applied = |scheme: String| root.read(format!("{scheme}/stats/sz_applied")).ok()?.trim().parse::<u64>().ok();
    evicting_schemes(root).map(|(_, scheme)| applied(scheme)).reduce(|sum, one| sum?.checked_add(one?))?
}

fn evicting_schemes(root: &Root) -> impl Iterator<Item = (String, String)> + use<'_> {
    let pages_out = |scheme: &str| root.read(format!("{scheme}/action")).is_ok_and(|action| action.trim() == "pageout");
    schemes(root).into_iter().filter(move |(_, scheme)| pages_out(scheme))
}

/// The schemes that are at work now, each with its thread, as folders below the root.
fn schemes(root: &Root) -> Vec<(String, String)> {
    let numbered = |folder: &str| {
        let count = root.read(format!("{folder}/nr_{}", folder.rsplit('/').next().unwrap_or_default()));
        let count = count.ok().and_then(|text| text.trim().parse::<u32>().ok()).unwrap_or(0);
        (0..count.min(64)).map(|number| format!("{folder}/{number}")).collect::<Vec<_>>()
    };
    let mut schemes = Vec::new();
    for kdamond in numbered(KDAMONDS) {
        if root.read(format!("{kdamond}/state")).map_or(true, |state| state.trim() != "on") {
            continue;
        }
        for context in numbered(&format!("{kdamond}/contexts")) {
            schemes.extend(numbered(&format!("{context}/schemes")).into_iter().map(|scheme| (kdamond.clone(), scheme)));
        }
    }
    schemes
}

/// Whether one of these [`actions`] evicts pages, also those that there is room for.
pub fn evicts(actions: &[String]) -> bool {
    actions.iter().any(|action| action == "pageout")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn only_active_schemes_count() {
        let folder = tempfile::tempdir().unwrap();
        let root = Root::new(folder.path());
        assert!(actions(&root).is_empty());
        let write = |file: &str, text: &str| {
            let path = folder.path().join("sys/kernel/mm/damon/admin/kdamonds").join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        write("nr_kdamonds", "2\n");
        for (kdamond, state, action) in [(0, "on\n", "pageout\n"), (1, "off\n", "lru_deprio\n")] {
            write(&format!("{kdamond}/state"), state);
            write(&format!("{kdamond}/contexts/nr_contexts"), "1\n");
            write(&format!("{kdamond}/contexts/0/schemes/nr_schemes"), "2\n");
            write(&format!("{kdamond}/contexts/0/schemes/0/action"), action);
            write(&format!("{kdamond}/contexts/0/schemes/1/action"), "stat\n");
        }
        assert_eq!(actions(&root), ["pageout", "stat"]);
        assert_eq!(evicted(&root), None, "no statistics");
        write("0/contexts/0/schemes/0/stats/sz_applied", "8192\n");
        write("0/contexts/0/schemes/1/stats/sz_applied", "4096\n");
        assert_eq!((evicted(&root), evicting(&root).len()), (Some(8192), 1), "what only counts evicts nothing");
        assert!(evicts(&actions(&root)) && !evicts(&["stat".to_owned()]));
    }
}
