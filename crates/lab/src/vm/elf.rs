//! Reads what packing a program takes from an ELF file: its libraries, its interpreter, and where its debug data begins.

use std::path::{Path, PathBuf};

/// A 64-bit little-endian ELF file.
#[derive(Debug, Clone, Copy)]
pub(super) struct Elf<'a> {
    bytes: &'a [u8],
}

/// One section: its name and its bytes.
type Section<'a> = (&'a str, &'a [u8]);

/// Bytes of a section header and of a program header (`Elf64_Shdr`, `Elf64_Phdr`).
const SECTION_HEADER: usize = 64;
const PROGRAM_HEADER: usize = 56;

impl<'a> Elf<'a> {
    /// Parses the file's header; `None` if it is not a 64-bit little-endian ELF file.
    pub(super) fn parse(bytes: &'a [u8]) -> Option<Self> {
        (bytes.len() >= 64 && bytes.starts_with(b"\x7fELF\x02\x01")).then_some(Self { bytes })
    }

    /// The content of the section called `name`.
    pub(super) fn section(self, name: &str) -> Option<&'a [u8]> {
        self.sections()?.into_iter().find(|(found, _)| *found == name).map(|(_, content)| content)
    }

    fn sections(self) -> Option<Vec<Section<'a>>> {
        let (start, count, names) = (self.word(40)?, self.half(60)?, self.half(62)?);
        let header = |index: usize| -> Option<(usize, u32, usize, usize)> {
            let at = start.checked_add(index.checked_mul(SECTION_HEADER)?)?;
            Some((self.quad(at)?, u32::try_from(self.quad(at + 4)?).ok()?, self.word(at + 24)?, self.word(at + 32)?))
        };
        // A section of type `SHT_NOBITS` has no bytes in the file.
        let content = |(_, kind, offset, size): (usize, u32, usize, usize)| match kind {
            8 => Some(&[][..]),
            _ => self.bytes.get(offset..offset.checked_add(size)?),
        };
        let names = content(header(names)?)?;
        (0..count)
            .map(|index| {
                let header = header(index)?;
                Some((text(names, header.0)?, content(header)?))
            })
            .collect()
    }

    /// The libraries that it is linked with (`DT_NEEDED`).
    pub(super) fn needed(self) -> Vec<&'a str> {
        self.dynamic(1)
    }

    /// The folders of its own libraries (`DT_RUNPATH`, `DT_RPATH`), with `$ORIGIN` unexpanded.
    pub(super) fn run_path(self) -> Vec<&'a str> {
        [29, 15].into_iter().flat_map(|tag| self.dynamic(tag)).flat_map(|list| list.split(':')).collect()
    }

    fn dynamic(self, wanted: usize) -> Vec<&'a str> {
        let (Some(entries), Some(strings)) = (self.section(".dynamic"), self.section(".dynstr")) else {
            return Vec::new();
        };
        let entries = entries.chunks_exact(16).map(|entry| Elf { bytes: entry });
        let values = entries.filter(|entry| entry.word(0) == Some(wanted)).filter_map(|entry| entry.word(8));
        values.filter_map(|offset| text(strings, offset)).collect()
    }

    /// Its dynamic loader (`ld.so`); `None` for libraries and static programs.
    pub(super) fn interpreter(self) -> Option<&'a Path> {
        self.section(".interp").and_then(|content| text(content, 0)).map(Path::new)
    }

    /// The file without the parts that are never loaded (section headers, symbols, debug data). A guest holds it in memory, where a
    /// debug build would not fit.
    pub(super) fn loaded(self) -> Vec<u8> {
        let (start, count) = (self.word(32).unwrap_or(0), self.half(56).unwrap_or(0));
        let ends = (0..count).filter_map(|index| {
            let at = start.checked_add(index.checked_mul(PROGRAM_HEADER)?)?;
            self.word(at + 8)?.checked_add(self.word(at + 32)?)
        });
        let end = ends.max().unwrap_or(self.bytes.len()).clamp(64, self.bytes.len());
        let mut bytes = self.bytes[..end].to_vec();
        // Clear the offset and the number of section headers, and the index of their names.
        bytes[40..48].fill(0);
        bytes[60..64].fill(0);
        bytes
    }

    fn half(self, at: usize) -> Option<usize> {
        Some(usize::from(u16::from_le_bytes(self.bytes.get(at..at + 2)?.try_into().ok()?)))
    }

    fn quad(self, at: usize) -> Option<usize> {
        usize::try_from(u32::from_le_bytes(self.bytes.get(at..at + 4)?.try_into().ok()?)).ok()
    }

    fn word(self, at: usize) -> Option<usize> {
        usize::try_from(u64::from_le_bytes(self.bytes.get(at..at + 8)?.try_into().ok()?)).ok()
    }
}

/// The string at an offset, up to its NUL.
fn text(bytes: &[u8], offset: usize) -> Option<&str> {
    let rest = bytes.get(offset..)?;
    let end = rest.iter().position(|byte| *byte == 0)?;
    std::str::from_utf8(&rest[..end]).ok()
}

/// Where the loader of this system looks for libraries: the folders of `/etc/ld.so.conf`, then its own.
pub(super) fn library_folders() -> Vec<PathBuf> {
    let mut folders = Vec::new();
    configured(Path::new("/etc/ld.so.conf"), &mut folders, 4);
    folders.extend(["/lib", "/usr/lib", "/lib64", "/usr/lib64"].map(PathBuf::from));
    folders
}

fn configured(file: &Path, folders: &mut Vec<PathBuf>, depth: usize) {
    for line in std::fs::read_to_string(file).unwrap_or_default().lines() {
        let line = line.split('#').next().unwrap_or_default().trim();
        match line.strip_prefix("include ") {
            // Debian includes `/etc/ld.so.conf.d/*.conf`; other patterns are not supported.
            Some(pattern) if depth > 0 => {
                let Some(folder) = Path::new(pattern.trim()).parent() else { continue };
                let mut files: Vec<PathBuf> =
                    std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
                files.sort();
                for file in files.iter().filter(|file| file.extension().is_some_and(|end| end == "conf")) {
                    configured(file, folders, depth - 1);
                }
            }
            None if line.starts_with('/') => folders.push(PathBuf::from(line)),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    #[test]
    fn this_test_needs_what_its_loader_says() {
        let own = std::env::current_exe().unwrap();
        let bytes = std::fs::read(&own).unwrap();
        let elf = Elf::parse(&bytes).unwrap();
        let ldd = Command::new("ldd").arg(&own).output().expect("ldd comes with libc-bin");
        let ldd = String::from_utf8(ldd.stdout).unwrap();
        assert!(elf.needed().contains(&"libc.so.6"));
        assert!(elf.needed().iter().all(|name| ldd.contains(name)), "{:?} in {ldd}", elf.needed());
        assert!(ldd.contains(&elf.interpreter().unwrap().display().to_string()));
    }

    #[test]
    fn a_program_without_its_debug_data_still_runs() {
        let bytes = std::fs::read("/bin/true").unwrap();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("true");
        let loaded = Elf::parse(&bytes).unwrap().loaded();
        assert!(loaded.len() < bytes.len());
        std::fs::copy("/bin/true", &path).unwrap();
        std::fs::write(&path, loaded).unwrap();
        assert!(Command::new(&path).status().unwrap().success());
    }

    #[test]
    fn damage_is_no_panic() {
        let bytes = std::fs::read("/bin/true").unwrap();
        assert!(Elf::parse(b"#!/bin/sh").is_none());
        for end in [64, 100, 1000, bytes.len() / 2] {
            let elf = Elf::parse(&bytes[..end]).unwrap();
            assert!(elf.section(".dynamic").is_none() && elf.needed().is_empty());
            elf.loaded();
        }
    }
}
