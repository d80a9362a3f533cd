//! Kernel modules: their files, what they depend on, and the order in which to load them.

use super::elf::Elf;
use crate::program::find_program;
use pagetide_core::Error;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Modules that every guest needs, unless they are built in.
pub(super) const BASE_MODULES: [&str; 4] = ["virtio_pci", "virtio_console", "virtio_rng", "virtio_blk"];

/// The modules of one kernel, from `lib/modules/<release>` where it was unpacked.
#[derive(Debug)]
pub(super) struct Modules {
    files: BTreeMap<String, PathBuf>,
    builtin: BTreeSet<String>,
}

/// A module that a guest can load.
#[derive(Debug)]
pub(super) struct Module {
    /// The kernel's name of it.
    pub(super) name: String,
    /// Its file, unpacked.
    pub(super) bytes: Vec<u8>,
}

/// How distributions pack modules: the extension, and the program that unpacks a file to its output (CONFIG_MODULE_COMPRESS of Linux 6.12).
const PACKED: [(&str, &str); 3] = [("xz", "xz"), ("zst", "zstd"), ("gz", "gzip")];

/// The kernel's name of a module: its file name without the extension, with underscores.
fn name_of(file: &str) -> Option<String> {
    let packed = PACKED.iter().find_map(|(extension, _)| file.strip_suffix(extension)?.strip_suffix('.'));
    Some(packed.unwrap_or(file).strip_suffix(".ko")?.replace('-', "_"))
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

    /// Reads `wanted` and what they depend on, in load order. A wanted module without a file is left out: it is built in, or the kernel has none.
    ///
    /// # Errors
    /// A module depends on one that is missing, or cannot be read or unpacked.
    pub(super) fn in_order(&self, wanted: &[&str]) -> Result<Vec<Module>, Error> {
        let mut order = Vec::new();
        let mut seen = BTreeSet::new();
        for name in wanted.iter().filter(|name| self.files.contains_key(**name)) {
            self.add(name, &mut seen, &mut order)?;
        }
        Ok(order)
    }

    fn add(&self, name: &str, seen: &mut BTreeSet<String>, order: &mut Vec<Module>) -> Result<(), Error> {
        if self.builtin.contains(name) || !seen.insert(name.to_owned()) {
            return Ok(());
        }
        let file = self.files.get(name).ok_or_else(|| {
            Error::system(format!("the kernel module {name} is missing"), "use Debian's kernel: leave out --kernel")
        })?;
        let bytes = unpacked(file)?;
        for needed in needed(file, &bytes)? {
            self.add(&needed, seen, order)?;
        }
        order.push(Module { name: name.to_owned(), bytes });
        Ok(())
    }
}

/// Reads a module's file. What is packed is unpacked by the program of its format.
fn unpacked(file: &Path) -> Result<Vec<u8>, Error> {
    let failed = |error: io::Error| Error::system(format!("{}: {error}", file.display()), "");
    let extension = file.extension().and_then(OsStr::to_str).unwrap_or_default();
    let Some((_, program)) = PACKED.iter().find(|(packed, _)| *packed == extension) else {
        return fs::read(file).map_err(failed);
    };
    let program = find_program(Path::new(program), "install it: apt-get install -y xz-utils zstd gzip")?;
    let output = Command::new(program).args(["-dc", "--"]).arg(file).output().map_err(failed)?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        let line = said.lines().next().unwrap_or("it cannot be unpacked");
        // All three name themselves and the file.
        let why = line.split_once(&format!("{}: ", file.display())).map_or(line, |(_, why)| why);
        return Err(Error::input(format!("{}: {why}", file.display()), "unpack the kernel's package again"));
    }
    Ok(output.stdout)
}

/// The modules that a module depends on, from its `.modinfo` (`depends=`).
fn needed(file: &Path, bytes: &[u8]) -> Result<Vec<String>, Error> {
    let info = Elf::parse(bytes).and_then(|elf| elf.section(".modinfo")).ok_or_else(|| {
        Error::input(format!("{} is no kernel module", file.display()), "unpack the kernel's package again")
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
            modules.in_order(wanted).unwrap().into_iter().map(|module| module.name).collect()
        };
        assert_eq!(names(&["virtio_blk", "virtio"]), ["virtio_ring", "virtio", "virtio_blk"]);
        assert!(names(&["crc16", "unheard_of"]).is_empty());
        assert!(modules.in_order(&["broken"]).unwrap_err().what.contains("nowhere"));
    }

    #[test]
    fn a_packed_module_is_unpacked() {
        let folder = tempfile::tempdir().unwrap();
        let plain = folder.path().join("zram.ko");
        fs::write(&plain, module("depends=\0")).unwrap();
        assert!(Command::new("gzip").arg(&plain).status().unwrap().success());
        let read = || Modules::below(folder.path()).in_order(&["zram"]);
        let [zram] = &read().unwrap()[..] else { panic!("one module") };
        assert_eq!((zram.name.as_str(), &zram.bytes), ("zram", &module("depends=\0")));
        fs::write(folder.path().join("zram.ko.gz"), b"\x1f\x8b damaged").unwrap();
        let error = read().unwrap_err();
        assert!(error.what.contains("zram.ko.gz: ") && !error.what.contains("gzip: "), "{error}");
    }
}
