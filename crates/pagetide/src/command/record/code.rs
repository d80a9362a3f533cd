//! The program's file in memory. What only its start needed of it is let go, so that a recorder holds and locks what recording needs.
#![allow(unsafe_code)]

use rustix::mm::{Advice, madvise};

/// Unmaps the code and constants of this process that are as in their file. What is used from now on is mapped again, from the page
/// cache.
pub(super) fn let_go() {
    // Without the list they stay, and cost some memory.
    let maps = std::fs::read_to_string("/proc/self/smaps").unwrap_or_default();
    for (start, length) in unwritten(&maps) {
        // SAFETY: these pages cannot be written and none has been, so the next touch maps what was there.
        let _ = unsafe { madvise(std::ptr::without_provenance_mut(start), length, Advice::LinuxDontNeed) };
    }
}

/// Where the mappings of files are, and how long, that cannot be written and have no page of their own (`fs/proc/task_mmu.c:show_smap`).
fn unwritten(maps: &str) -> impl Iterator<Item = (usize, usize)> {
    let mut mapping = None;
    maps.lines().filter_map(move |line| {
        if let Some(amount) = line.strip_prefix("Anonymous:") {
            return mapping.take().filter(|_| amount.trim_ascii() == "0 kB");
        }
        if !line.split_ascii_whitespace().next()?.ends_with(':') {
            mapping = of_file(line);
        }
        None
    })
}

/// Address and length of a mapping, when it is one of a file that can be read and not written.
fn of_file(line: &str) -> Option<(usize, usize)> {
    let mut fields = line.split_ascii_whitespace();
    let (range, mode, inode) = (fields.next()?, fields.next()?, fields.nth(2)?);
    let (start, end) = range.split_once('-')?;
    let at = |address| usize::from_str_radix(address, 16).ok();
    let (start, end) = (at(start)?, at(end)?);
    (mode.starts_with("r-") && inode != "0").then(|| (start, end.saturating_sub(start)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_as_in_a_file_is_let_go() {
        let mapping = |head: &str, anonymous: u64| {
            format!("{head}\nSize:  8 kB\nRss:  8 kB\nAnonymous:         {anonymous} kB\nVmFlags: rd ex mr\n")
        };
        let maps = [
            mapping("1000-3000 r-xp 00248000 fe:00 1835    /usr/bin/page tide:", 0),
            mapping("3000-4000 r--p 00248000 fe:00 1835    /usr/bin/pagetide", 4),
            mapping("4000-5000 rwxp 00b63000 fe:00 1835    /usr/bin/pagetide", 0),
            mapping("5000-6000 r-xp 00000000 00:00 0       [vdso]", 0),
            mapping("6000-7000 rw-p 00000000 00:00 0", 0),
            mapping("7000-a000 r--p 00248000 fe:00 1835    /usr/bin/pagetide", 0),
        ];
        assert_eq!(unwritten(&maps.concat()).collect::<Vec<_>>(), [(0x1000, 0x2000), (0x7000, 0x3000)]);
        assert_eq!(unwritten("").count(), 0);
    }

    #[test]
    fn what_was_let_go_is_there_when_it_is_used() {
        let maps = std::fs::read_to_string("/proc/self/smaps").unwrap();
        assert!(
            unwritten(&maps).any(|(start, length)| { (start..start + length).contains(&(let_go as fn() as usize)) })
        );
        let_go();
        assert_eq!(std::hint::black_box("constant").len(), 8);
    }
}
