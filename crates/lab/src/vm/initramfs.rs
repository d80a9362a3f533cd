//! The guest's only system: its init, the programs that a scenario needs, their libraries, kernel modules, and the job.

use super::cpio::Archive;
use super::elf::{Elf, library_folders};
use super::module::Module;
use super::wire::Job;
use pagetide_core::Error;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// The folder of all libraries in the guest, for `LD_LIBRARY_PATH`.
pub(super) const LIBRARIES: &str = "/lib/guest";
/// The folder of programs in the guest.
pub(super) const PROGRAMS: &str = "/bin";
/// The file of the job in the guest.
pub(super) const JOB: &str = "/job.json";

/// Packs it all. `init` becomes `/init`; `programs` keep their names; `job.modules` is filled in from `modules`.
///
/// # Errors
/// A file cannot be read, or a library is missing.
pub(super) fn pack(init: &Path, programs: &[PathBuf], modules: &[Module], job: &Job) -> Result<Vec<u8>, Error> {
    let mut pack = Pack { archive: Archive::default(), seen: BTreeSet::new(), folders: library_folders() };
    for folder in ["/proc", "/sys", "/dev", "/run", "/tmp", "/disk", "/results"] {
        pack.archive.folder(folder);
    }
    pack.program(init, "/init")?;
    for program in programs {
        let name = program.file_name().unwrap_or_default().to_string_lossy();
        pack.program(program, &format!("{PROGRAMS}/{name}"))?;
    }
    let mut job = job.clone();
    for module in modules {
        let path = format!("/modules/{}.ko", module.name);
        pack.archive.file(&path, &module.bytes);
        job.modules.push(path);
    }
    let text = serde_json::to_vec(&job).map_err(|error| Error::system(format!("cannot write the job: {error}"), ""))?;
    pack.archive.file(JOB, &text);
    Ok(pack.archive.finish())
}

struct Pack {
    archive: Archive,
    seen: BTreeSet<String>,
    folders: Vec<PathBuf>,
}

impl Pack {
    fn program(&mut self, from: &Path, to: &str) -> Result<(), Error> {
        let bytes = read(from)?;
        let Some(elf) = Elf::parse(&bytes) else {
            self.archive.file(to, &bytes);
            return Ok(());
        };
        if let Some(loader) = elf.interpreter()
            && self.seen.insert(loader.display().to_string())
        {
            let bytes = read(loader)?;
            let loaded = Elf::parse(&bytes).map_or_else(|| bytes.clone(), Elf::loaded);
            self.archive.file(&loader.display().to_string(), &loaded);
        }
        self.archive.file(to, &elf.loaded());
        self.libraries(elf, from)
    }

    fn libraries(&mut self, elf: Elf<'_>, of: &Path) -> Result<(), Error> {
        let origin = of.parent().unwrap_or(Path::new("/")).display().to_string();
        let own: Vec<PathBuf> = elf
            .run_path()
            .into_iter()
            .map(|path| path.replace("$ORIGIN", &origin).replace("${ORIGIN}", &origin).into())
            .collect();
        for name in elf.needed() {
            if !self.seen.insert(name.to_owned()) {
                continue;
            }
            let found = own.iter().chain(&self.folders).map(|folder| folder.join(name)).find(|path| path.is_file());
            let Some(path) = found else {
                return Err(Error::system(
                    format!("{} needs the library {name}, which was not found", of.display()),
                    "install it, or name another program",
                ));
            };
            let bytes = read(&path)?;
            let library = Elf::parse(&bytes).ok_or_else(|| {
                Error::system(format!("{} is not a 64-bit library", path.display()), "install the 64-bit one")
            })?;
            self.archive.file(&format!("{LIBRARIES}/{name}"), &library.loaded());
            self.libraries(library, &path)?;
        }
        Ok(())
    }
}

fn read(path: &Path) -> Result<Vec<u8>, Error> {
    fs::read(path).map_err(|error| Error::system(format!("cannot read {}: {error}", path.display()), ""))
}
