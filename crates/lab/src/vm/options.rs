//! Options of the vm backend.

use super::qemu::Accelerator;
use pagetide_core::{Error, Nanos};
use std::path::PathBuf;
use std::time::Duration;

/// Options of the vm backend.
#[derive(Debug, Clone)]
pub struct VmOptions {
    /// The kernel image; by default Debian's, downloaded into the cache.
    pub kernel: Option<PathBuf>,
    /// The folder that caches kernels and the results of probes.
    pub cache: PathBuf,
    /// A folder for the disks' files, which are unlinked at once.
    pub work_dir: PathBuf,
    /// An existing folder for fio's own results.
    pub results: PathBuf,
    /// The accelerator; by default a probe boot decides.
    pub accelerator: Option<Accelerator>,
    /// QEMU: a path, or a name to be found in `PATH`.
    pub qemu: PathBuf,
    /// fio: a path, or a name to be found in `PATH`.
    pub fio: PathBuf,
    /// The program that becomes the guest's init and calls [`crate::vm::guest::run`] if it is process 1.
    pub init: PathBuf,
    /// Arguments that tell the init to run as one, such as a subcommand.
    pub init_words: Vec<String>,
    /// Commands that run alongside the steps, on the first disk with a file system. The files that they leave in their working directory
    /// are copied to `alongside` in the results. The first word is a program of this host, or `pagetide` for the init itself.
    pub alongside: Vec<Vec<String>>,
    /// After the last step, wait until they end by themselves instead of ending them.
    pub alongside_to_end: bool,
    /// Time between two samples.
    pub interval: Nanos,
    /// Record like a flight recorder on any host: all control groups, the processes that matter most, and no mark of the disk that the work uses.
    pub as_host: bool,
    /// Host time that one step may take before the guest counts as hung.
    pub step_limit: Duration,
}

impl VmOptions {
    /// The default options, with `init` as the guest's init.
    pub fn new(
        cache: impl Into<PathBuf>,
        work_dir: impl Into<PathBuf>,
        results: impl Into<PathBuf>,
        init: impl Into<PathBuf>,
    ) -> Self {
        Self {
            kernel: None,
            cache: cache.into(),
            work_dir: work_dir.into(),
            results: results.into(),
            accelerator: None,
            qemu: "qemu-system-x86_64".into(),
            fio: "fio".into(),
            init: init.into(),
            init_words: Vec::new(),
            alongside: Vec::new(),
            alongside_to_end: false,
            interval: Nanos::new(100_000_000),
            as_host: false,
            step_limit: Duration::from_secs(3600),
        }
    }

    /// The default options of `pagetide` and other programs with a subcommand `guest`, which are the guest's init themselves.
    ///
    /// # Errors
    /// The path of this program cannot be read.
    pub fn of_this_program(work_dir: impl Into<PathBuf>, results: impl Into<PathBuf>) -> Result<Self, Error> {
        let own = std::env::current_exe()
            .map_err(|error| Error::system(format!("cannot find this program's own file: {error}"), ""))?;
        Ok(Self { init_words: vec!["guest".to_owned()], ..Self::new(usual_cache(), work_dir, results, own) })
    }
}

/// pagetide's cache folder: `$PAGETIDE_CACHE`, else `pagetide` in the user's cache folder. If another user can write there (root with another
/// user's `HOME`), it is `/var/cache/pagetide`, because kernels in it are run.
pub fn usual_cache() -> PathBuf {
    let is_ours = |folder: &PathBuf| {
        let there = folder.ancestors().find(|above| above.exists());
        there.is_some_and(|there| pagetide_dir::check_path(there).is_ok())
    };
    let named = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    named("PAGETIDE_CACHE")
        .or_else(|| named("XDG_CACHE_HOME").map(|folder| folder.join("pagetide")).filter(is_ours))
        .or_else(|| named("HOME").map(|folder| folder.join(".cache/pagetide")).filter(is_ours))
        .unwrap_or_else(|| PathBuf::from("/var/cache/pagetide"))
}
