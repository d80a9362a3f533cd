//! Releases the clean pages of the program's file, so that a recorder holds and locks only the pages that recording uses.
#![allow(unsafe_code)]

use rustix::mm::{Advice, madvise};

/// Unmaps the unmodified code and constants of this process. The next use maps a page again, from the page cache.
pub(crate) fn release() {
    // Without the list the pages stay mapped, which costs some memory.
    let maps = std::fs::read_to_string("/proc/self/smaps").unwrap_or_default();
    for (start, length) in unwritten(&maps) {
        // SAFETY: these pages cannot be written and none has been, so the next touch maps what was there.
        let _ = unsafe { madvise(std::ptr::without_provenance_mut(start), length, Advice::LinuxDontNeed) };
    }
}

/// Address and length of the file mappings that are read-only and have no private page (`fs/proc/task_mmu.c:show_smap`).
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
    fn only_unmodified_file_pages_are_released() {
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
    fn released_pages_can_be_used_again() {
        let maps = std::fs::read_to_string("/proc/self/smaps").unwrap();
        assert!(
            unwritten(&maps).any(|(start, length)| { (start..start + length).contains(&(release as fn() as usize)) })
        );
        release();
        assert_eq!(std::hint::black_box("constant").len(), 8);
    }
}
