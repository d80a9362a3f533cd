//! The backends. A new one is a folder with a [`BackendKind`], and a line here.

use crate::backend::BackendKind;
use crate::{host, sim, vm};
use pagetide_core::{Error, suggest};

/// All backends. The first one is the default.
pub const BACKENDS: &[BackendKind] = &[host::KIND, vm::KIND, sim::KIND];

/// The backend of this name.
///
/// # Errors
/// There is none.
pub fn named(name: &str) -> Result<&'static BackendKind, Error> {
    let known = || BACKENDS.iter().map(|kind| kind.name);
    BACKENDS.iter().find(|kind| kind.name == name).ok_or_else(|| {
        Error::input(
            format!("no backend `{name}`{}", suggest::hint(name, known())),
            format!("backends: {}", known().collect::<Vec<_>>().join(", ")),
        )
    })
}
