//! Kernel modules: their files, what they depend on, and the order in which to load them.

use super::elf::Elf;
use pagetide_core::Error;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Modules that every guest needs, unless they are built in.
pub(super) const BASE_MODULES: [&str; 4] = ["virtio_pci", "virtio_console", "virtio_rng", "virtio_blk"];

/// The modules of one kernel, from `lib/modules/<release>` where it was unpacked.
#[derive(Debug)]
pub(super) struct Modules {
    files: BTreeMap<String, PathBuf>,
    builtin: BTreeSet<String>,
}

/// The kernel's name of a module: its file name without the extension, with underscores.
fn name_of(file: &str) -> Option<String> {
    let stem = ["", ".xz", ".zst", ".gz"].iter().find_map(|packed| file.strip_suffix(&format!(".ko{packed}")))?;
    Some(stem.replace('-', "_"))
}

impl Modules {
    /// Finds the modules below a folder. A folder that does not exist has none: then the kernel has them built in, or fails.
    pub(super) fn below(folder: &Path) -> Self {
        let mut files = BTreeMap::new();
        let mut folders = vec![folder.to_owned()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
                let kind = entry.file_type().ok();
                if kind.is_some_and(|kind| kind.is_dir()) {
                    folders.push(entry.path());
                } else if let Some(name) = entry.file_name().to_str().and_then(name_of) {
                    files.insert(name, entry.path());
                }
            }
        }
        let builtin = fs::read_to_string(folder.join("modules.builtin")).unwrap_or_default();
        let builtin = builtin.lines().filter_map(|line| name_of(line.rsplit('/').next()?)).collect();
        Self { files, builtin }
    }

    /// The files of `wanted` and of their dependencies, in load order. A wanted module without a file is left out: it is built in, or the kernel
    /// has none.
    ///
    /// # Errors
    /// A module depends on one that is missing, or is compressed.
    pub(super) fn in_order(&self, wanted: &[&str]) -> Result<Vec<&Path>, Error> {
        let mut order = Vec::new();
        let mut seen = BTreeSet::new();
        for name in wanted.iter().filter(|name| self.files.contains_key(**name)) {
            self.add(name, &mut seen, &mut order)?;
        }
        Ok(order)
    }

    fn add<'a>(&'a self, name: &str, seen: &mut BTreeSet<String>, order: &mut Vec<&'a Path>) -> Result<(), Error> {
        if self.builtin.contains(name) || !seen.insert(name.to_owned()) {
            return Ok(());
        }
        let file = self.files.get(name).ok_or_else(|| {
            Error::system(format!("the kernel module {name} is missing"), "use Debian's kernel: leave out --kernel")
        })?;
        for needed in needed(file)? {
            self.add(&needed, seen, order)?;
        }
        order.push(file);
        Ok(())
    }
}

/// The modules that a module depends on, from its `.modinfo` (`depends=`).
fn needed(file: &Path) -> Result<Vec<String>, Error> {
    let bytes = fs::read(file).map_err(|error| Error::system(format!("{}: {error}", file.display()), ""))?;
    let info = Elf::parse(&bytes).and_then(|elf| elf.section(".modinfo")).ok_or_else(|| {
        Error::input(
            format!("{} is not a plain kernel module", file.display()),
            "decompress them first: find DIR/lib/modules -name '*.ko.xz' -exec xz -d {} +",
        )
    })?;
    let lines = info.split(|byte| *byte == 0).filter_map(|line| std::str::from_utf8(line).ok());
    let depends = lines.filter_map(|line| line.strip_prefix("depends="));
    let names = depends.flat_map(|list| list.split(',')).filter(|name| !name.is_empty());
    Ok(names.map(|name| name.replace('-', "_")).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An ELF object with only a `.modinfo`.
    fn module(info: &str) -> Vec<u8> {
        let names = b"\0.modinfo\0.shstrtab\0";
        let mut bytes = vec![0; 64];
        bytes[..6].copy_from_slice(b"\x7fELF\x02\x01");
        let info_at = bytes.len() as u64;
        bytes.extend_from_slice(info.as_bytes());
        let names_at = bytes.len() as u64;
        bytes.extend_from_slice(names);
        let headers_at = bytes.len() as u64;
        for (name, at, size) in [(0u32, 0, 0), (1, info_at, info.len() as u64), (10, names_at, names.len() as u64)] {
            let mut header = [0; 64];
            header[..4].copy_from_slice(&name.to_le_bytes());
            header[4] = 1;
            header[24..32].copy_from_slice(&at.to_le_bytes());
            header[32..40].copy_from_slice(&size.to_le_bytes());
            bytes.extend_from_slice(&header);
        }
        bytes[40..48].copy_from_slice(&headers_at.to_le_bytes());
        bytes[60] = 3;
        bytes[62] = 2;
        bytes
    }

    #[test]
    fn a_module_goes_in_after_what_it_needs() {
        let folder = tempfile::tempdir().unwrap();
        let deep = folder.path().join("kernel/drivers");
        fs::create_dir_all(&deep).unwrap();
        for (name, info) in [
            ("virtio", "license=GPL\0depends=virtio_ring\0"),
            ("virtio_ring", "depends=\0"),
            ("virtio_blk", "depends=virtio,virtio-ring,crc16\0name=virtio_blk\0"),
            ("broken", "depends=nowhere\0"),
        ] {
            fs::write(deep.join(format!("{}.ko", name.replace("virtio_ring", "virtio-ring"))), module(info)).unwrap();
        }
        fs::write(folder.path().join("modules.builtin"), "kernel/lib/crc16.ko\n").unwrap();
        let modules = Modules::below(folder.path());
        let names = |wanted: &[&str]| -> Vec<String> {
            let files = modules.in_order(wanted).unwrap();
            files.iter().map(|file| file.file_stem().unwrap().to_str().unwrap().to_owned()).collect()
        };
        assert_eq!(names(&["virtio_blk", "virtio"]), ["virtio-ring", "virtio", "virtio_blk"]);
        assert!(names(&["crc16", "unheard_of"]).is_empty());
        assert!(modules.in_order(&["broken"]).unwrap_err().what.contains("nowhere"));
    }

    #[test]
    fn a_packed_module_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("zram.ko.xz"), b"\xfd7zXZ").unwrap();
        let error = Modules::below(folder.path()).in_order(&["zram"]).unwrap_err();
        assert!(error.what.contains("zram.ko.xz"), "{error}");
    }
}
