//! Any text as each of the kernel's files: it is parsed or refused.

use super::tree;
use crate::seed;
use pagetide_kernel::cgroup::parse_limit;
use pagetide_kernel::*;
use std::fmt::Debug;

/// The files of the kernel trees, one by one.
pub fn seeds() -> Vec<Vec<u8>> {
    [tree::seeds(), seed::files("fuzz/seeds/tree", &[".tree"])]
        .concat()
        .iter()
        .flat_map(|seed| tree::files(seed))
        .map(|(_, text)| text.into_bytes())
        .collect()
}

/// Reads the bytes as each of the kernel's files.
pub fn run(bytes: &[u8]) {
    fn check<T: Debug, E: std::error::Error>(parsed: Result<T, E>) {
        // Whatever came out can be said.
        let _ = parsed.map_or_else(|error| error.to_string(), |file| format!("{file:?}"));
    }
    let text = &*String::from_utf8_lossy(bytes);
    check(parse_meminfo(text));
    check(parse_vmstat(text));
    check(parse_zoneinfo(text));
    check(parse_buddyinfo(text));
    check(parse_diskstats(text));
    check(parse_stat(text));
    check(parse_loadavg(text));
    check(parse_pressure(text));
    check(parse_swaps(text));
    check(parse_mounts(text));
    check(parse_mountinfo(text));
    check(parse_process_stat(text));
    check(parse_process_io(text));
    check(parse_process_status(text));
    check(parse_process_schedstat(text));
    check(parse_limit(text));
    let _ = parse_kmsg(text).map(|message| message.note());
    let (mut by_key, mut by_operation) = (Vec::new(), Vec::new());
    check(cgroup_io::keyed(text, |device, key, value| by_key.push((device, key, value))));
    check(cgroup_io::by_operation(text, |device, key, value| by_operation.push((device, key, value))));
    let _ = (md::sync_action(text), md::sync_completed(text), md::sync_speed(text), memory_group(text));
    let _ = ["python3", "sh", "java"].map(|comm| program::script(comm, text));
}
