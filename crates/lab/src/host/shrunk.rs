//! Makes the host as small as the scenario's machine.

use super::options::{HostOptions, Shrink};
use crate::control::MachineControl;
use crate::group::Group;
use crate::hold::{self, Hold};
use crate::shrink::{self, Controller, Shrunk};
use crate::undo::{Change, Identity, Journal};
use pagetide_core::{Bytes, Error, HoldKind, HoldSpec, Machine, Progress};
use pagetide_kernel::Root;
use std::path::Path;

/// A host that stands for the scenario's machine.
pub(super) enum ShrunkHost<'a> {
    Group(Shrunk<'a>),
    Held { journal: &'a Journal, hold: Hold },
    Unchanged(&'a Journal),
}

impl MachineControl for ShrunkHost<'_> {
    fn set_sysctl(&mut self, name: &str, value: i64) -> Result<(), Error> {
        match self {
            Self::Group(shrunk) => shrunk.set_sysctl(name, value),
            Self::Held { journal, .. } | Self::Unchanged(journal) => journal.set_sysctl(name, value),
        }
    }

    fn before_step(&mut self) -> Result<(), Error> {
        match self {
            Self::Group(shrunk) => shrunk.before_step(),
            Self::Held { hold, .. } if !hold.held() => Err(Error::system(
                "the process that held the host's other memory was killed",
                "the host ran out of memory: use --shrink cgroup",
            )),
            Self::Held { .. } | Self::Unchanged(_) => Ok(()),
        }
    }

    fn dirty_thresholds(&self) -> Option<(Bytes, Bytes)> {
        match self {
            Self::Group(shrunk) => shrunk.dirty_thresholds(),
            Self::Held { .. } | Self::Unchanged(_) => None,
        }
    }
}

impl<'a> ShrunkHost<'a> {
    /// Shrinks the host as the options say and sets the machine's settings.
    pub(super) fn make(
        options: &HostOptions,
        machine: &Machine,
        journal: &'a Journal,
        progress: &mut dyn Progress,
    ) -> Result<Self, Error> {
        let mut host = match options.shrink {
            Shrink::Cgroup => return Shrunk::make(journal, &Controller::find()?, machine).map(Self::Group),
            Shrink::Hold => {
                let hold = hold_the_rest(shrink::limit(machine), &options.work_dir, journal, progress)?;
                Self::Held { journal, hold }
            }
            Shrink::None => Self::Unchanged(journal),
        };
        for (name, value) in &machine.sysctl {
            host.set_sysctl(name, *value)?;
        }
        Ok(host)
    }

    pub(super) fn group(&self) -> Option<&Group> {
        match self {
            Self::Group(shrunk) => Some(shrunk.group()),
            Self::Held { .. } | Self::Unchanged(_) => None,
        }
    }
}

/// Holds so much of the host's memory that `left` stays available, and at least [`hold::FLOOR`].
fn hold_the_rest(left: Bytes, folder: &Path, journal: &Journal, progress: &mut dyn Progress) -> Result<Hold, Error> {
    struct Observer<'a>(&'a Journal, &'a mut dyn Progress);
    impl hold::HoldObserver for Observer<'_> {
        fn started(&mut self, process: Identity) -> Result<(), Error> {
            self.0.note(Change::Process { process, what: "held the host's other memory".into() })
        }
        fn touched(&mut self, _touched: Bytes) -> bool {
            !self.1.interrupted()
        }
    }
    let meminfo = Root::host().meminfo().map_err(|error| Error::system(error.to_string(), ""))?;
    let available = meminfo.available().unwrap_or(Bytes::ZERO);
    let size = available.saturating_sub(left.max(hold::FLOOR));
    progress.say(&format!("holding {size} of this host's memory, which leaves {} available", left.max(hold::FLOOR)));
    let options = hold::Options { floor: Bytes::new(hold::FLOOR.get() * 15 / 16), ..hold::Options::new(folder) };
    Hold::occupy(&HoldSpec { size, touch: None, kind: HoldKind::Mlock }, &options, &mut Observer(journal, progress))
}
