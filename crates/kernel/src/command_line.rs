//! What a process was started with. It is recorded only where somebody asks for it: it may hold passwords.

use crate::Root;
use pagetide_proctext::process::parse_process_stat;

/// Characters of a command line that are kept.
const MAX_COMMAND_LINE: usize = 1024;

/// The words of `/proc/PID/cmdline`, a space between each, of the process that a recording calls `PID@START`; absent where it is gone, is a
/// thread of the kernel, or may not be asked: the words lie in its own memory, which a process that waits for IO may keep from others.
pub fn command_line(root: &Root, name: &str) -> Option<String> {
    let (pid, start) = name.split('/').next()?.split_once('@')?;
    let (pid, start): (u32, u64) = (pid.parse().ok()?, start.parse().ok()?);
    let stat = root.read(format!("/proc/{pid}/stat")).ok()?;
    let stat = parse_process_stat(&stat).ok()?;
    if stat.starttime != start || stat.state == 'D' {
        return None;
    }
    words(&root.read(format!("/proc/{pid}/cmdline")).ok()?)
}

/// The words of the content of `/proc/PID/cmdline`, a space between each; absent where there are none.
pub(crate) fn words(cmdline: &str) -> Option<String> {
    let words: String = cmdline.trim_end_matches('\0').replace('\0', " ").chars().take(MAX_COMMAND_LINE).collect();
    (!words.is_empty()).then_some(words)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn the_command_line_is_of_the_process_that_was_recorded() {
        let folder = tempfile::tempdir().unwrap();
        let of = |name: &str| command_line(&Root::new(folder.path()), name);
        let write = |pid: u32, state: char, start: u64, words: &str| {
            let path = folder.path().join(format!("proc/{pid}"));
            fs::create_dir_all(&path).unwrap();
            let zeros = "0 ".repeat(17);
            fs::write(path.join("stat"), format!("{pid} (x y) {state} 1 {zeros}{start} 0 0 {zeros}{zeros}\n")).unwrap();
            fs::write(path.join("cmdline"), words).unwrap();
        };
        write(7, 'S', 55, "postgres\0-D\0/data\0");
        write(8, 'D', 55, "tar\0cf\0x\0");
        write(9, 'S', 55, "");
        assert_eq!(of("7@55").as_deref(), Some("postgres -D /data"));
        assert_eq!(of("7@55/psql").as_deref(), Some("postgres -D /data"));
        for none in ["7@54", "8@55", "9@55", "10@55", "x", "7", "@", "7@x"] {
            assert_eq!(of(none), None, "{none}");
        }
    }
}
