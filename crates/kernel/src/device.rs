//! Which disks lie under a file: through partitions, md, dm and loop devices.

use crate::error::Error;
use crate::root::Root;
use std::path::Path;

/// The physical disks that `path` lies on, by their names in `/proc/diskstats`: one, or the members of an array.
pub fn under(root: &Root, path: &Path) -> Result<Vec<String>, Error> {
    use std::os::unix::fs::MetadataExt;
    let read = |path: &Path, source| Error::Read { path: path.to_owned(), source };
    let device = std::fs::metadata(path).map_err(|source| read(path, source))?.dev();
    let (major, minor) = (rustix::fs::major(device), rustix::fs::minor(device));
    let link = root.join(format!("/sys/dev/block/{major}:{minor}"));
    let real = std::fs::canonicalize(&link).map_err(|source| read(&link, source))?;
    Ok(vec![real.file_name().unwrap_or_default().to_string_lossy().into_owned()])
}
