//! An archive in the `newc` format, from which the kernel fills its initial file system
//! (Documentation/driver-api/early-userspace/buffer-format.rst, `init/initramfs.c`).

use std::collections::BTreeSet;

/// An archive that grows in memory.
#[derive(Debug, Default)]
pub(super) struct Archive {
    bytes: Vec<u8>,
    folders: BTreeSet<String>,
    entries: u32,
}

/// Kinds of entries, as in `st_mode`.
const FOLDER: u32 = 0o040_755;
const PROGRAM: u32 = 0o100_755;

impl Archive {
    /// Adds a folder and its parents, unless they are there already. Paths begin with a slash.
    pub(super) fn folder(&mut self, path: &str) {
        let mut at = String::new();
        for part in path.split('/').filter(|part| !part.is_empty()) {
            at = format!("{at}/{part}");
            if self.folders.insert(at.clone()) {
                self.entry(&at, FOLDER, 2, &[]);
            }
        }
    }

    /// Adds a readable and executable file, and its parent folders.
    pub(super) fn file(&mut self, path: &str, content: &[u8]) {
        self.parents(path);
        self.entry(path, PROGRAM, 1, content);
    }

    /// The whole archive.
    pub(super) fn finish(mut self) -> Vec<u8> {
        self.entries = 0;
        self.entry("/TRAILER!!!", 0, 1, &[]);
        self.bytes
    }

    fn parents(&mut self, path: &str) {
        if let Some((folder, _)) = path.rsplit_once('/') {
            self.folder(folder);
        }
    }

    fn entry(&mut self, path: &str, mode: u32, links: u32, content: &[u8]) {
        let name = path.trim_start_matches('/');
        let (size, name_size) = (field(content.len()), field(name.len() + 1));
        let inode = self.entries;
        self.entries += 1;
        // ino, mode, uid, gid, nlink, mtime, filesize, devmajor, devminor, rdevmajor, rdevminor, namesize, check
        let head: String = [inode, mode, 0, 0, links, 0, size, 0, 0, 0, 0, name_size, 0]
            .iter()
            .map(|number| format!("{number:08x}"))
            .collect();
        self.bytes.extend_from_slice(b"070701");
        self.bytes.extend_from_slice(head.as_bytes());
        self.bytes.extend_from_slice(name.as_bytes());
        self.bytes.push(0);
        self.pad();
        self.bytes.extend_from_slice(content);
        self.pad();
    }

    fn pad(&mut self) {
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
    }
}

/// A length as a 32-bit field. No file in an archive is anywhere near 4 GiB.
fn field(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::io::Write;
    use std::process::{Command, Stdio};

    /// Reads an archive back, as the kernel does: name, mode, content.
    fn read(mut bytes: &[u8]) -> Vec<(String, u32, Vec<u8>)> {
        let mut entries = Vec::new();
        loop {
            let number = |at: usize| {
                let digits = std::str::from_utf8(&bytes[6 + at * 8..14 + at * 8]).unwrap();
                usize::from_str_radix(digits, 16).unwrap()
            };
            assert_eq!(&bytes[..6], b"070701");
            let (mode, size, name_size) = (number(1), number(6), number(11));
            let name = String::from_utf8(bytes[110..110 + name_size - 1].to_vec()).unwrap();
            let start = (110 + name_size).next_multiple_of(4);
            let content = bytes[start..start + size].to_vec();
            if name == "TRAILER!!!" {
                assert_eq!(bytes.len(), start);
                return entries;
            }
            entries.push((name, u32::try_from(mode).unwrap(), content));
            bytes = &bytes[(start + size).next_multiple_of(4)..];
        }
    }

    proptest! {
        #[test]
        fn what_goes_in_comes_out(files in prop::collection::btree_map("(/[a-z]{1,9}){1,4}\\.f", prop::collection::vec(any::<u8>(), 0..99), 0..9)) {
            let mut archive = Archive::default();
            for (path, content) in &files {
                archive.file(path, content);
            }
            let entries = read(&archive.finish());
            for (path, content) in &files {
                let found = entries.iter().position(|(name, mode, found)| {
                    *name == path[1..] && *mode == PROGRAM && found == content
                });
                let folder = path[1..].rsplit_once('/').map(|(folder, _)| folder.to_owned());
                let above = folder.map(|folder| entries.iter().position(|(name, mode, _)| *name == folder && *mode == FOLDER));
                prop_assert!(found.is_some(), "{}", path);
                prop_assert!(above.is_none_or(|above| above.is_some() && above < found), "a folder comes before its files");
            }
            let mut names: Vec<_> = entries.iter().map(|(name, ..)| name).collect();
            names.sort();
            names.dedup();
            prop_assert_eq!(names.len(), entries.len(), "no name twice");
        }
    }

    #[test]
    fn cpio_lists_it() {
        let mut archive = Archive::default();
        archive.file("/init", b"#!");
        archive.file("/lib/x/odd.so.1", &[7; 4097]);
        let mut child = Command::new("cpio")
            .args(["-t", "-v", "--quiet"])
            .env("LC_ALL", "C")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("apt-get install cpio");
        child.stdin.take().unwrap().write_all(&archive.finish()).unwrap();
        let listed = String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap();
        let ends: Vec<&str> = listed.lines().map(|line| line.split("1970 ").last().unwrap()).collect();
        assert_eq!(ends, ["init", "lib", "lib/x", "lib/x/odd.so.1"], "{listed}");
        assert!(listed.contains(" 4097 ") && listed.starts_with("-rwxr-xr-x"), "{listed}");
    }
}
