//! `/proc/self/mounts` and `/proc/self/mountinfo` (`fs/proc_namespace.c`).

use crate::error::{Error, Problem};
use crate::text::{lines, number, unescape};
use std::path::{Path, PathBuf};

const MOUNTS: &str = "/proc/self/mounts";
const MOUNTINFO: &str = "/proc/self/mountinfo";

/// A mounted file system.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mount {
    /// What is mounted: a device, or a word of the file system's own.
    pub source: String,
    /// Where.
    pub point: PathBuf,
    /// The kind of file system.
    pub kind: String,
    /// Its options, joined by commas.
    pub options: String,
    /// The device number that files on it have, when the file says (mountinfo does, mounts does not). File systems
    /// without a device of their own have a major number of 0.
    pub device: Option<(u32, u32)>,
}

impl Mount {
    /// The value of an option such as `upperdir=…`.
    pub fn option(&self, name: &str) -> Option<&str> {
        self.options.split(',').find_map(|option| option.strip_prefix(name)?.strip_prefix('='))
    }
}

/// Parses `/proc/self/mounts`.
pub fn parse_mounts(text: &str) -> Result<Vec<Mount>, Error> {
    let line = |line: &str| {
        let mut fields = line.split(' ');
        let mut next = || fields.next().filter(|field| !field.is_empty()).ok_or(Problem::Short).map(unescape);
        let (source, point, kind, options) = (next()?, next()?, next()?, next()?);
        next()?;
        next()?;
        Ok(Mount { source, point: point.into(), kind, options, device: None })
    };
    lines(MOUNTS, text)?.map(|(at, text)| line(text).map_err(|problem| Error::line(MOUNTS, at, problem))).collect()
}

/// Parses `/proc/self/mountinfo`. Options are those of the mount, then those of the file system.
pub fn parse_mountinfo(text: &str) -> Result<Vec<Mount>, Error> {
    let line = |line: &str| {
        // Between the sixth field and the dash stand any number of optional fields.
        let (before, after) = line.split_once(" - ").ok_or(Problem::Short)?;
        let (mut before, mut after) = (before.split(' '), after.split(' '));
        let device = before.nth(2).ok_or(Problem::Short)?;
        let point = unescape(before.nth(1).ok_or(Problem::Short)?);
        let own = before.next().ok_or(Problem::Short)?;
        let kind = unescape(after.next().ok_or(Problem::Short)?);
        let source = unescape(after.next().ok_or(Problem::Short)?);
        let options = format!("{own},{}", unescape(after.next().ok_or(Problem::Short)?));
        let device = Some(parse_device(device).ok_or(Problem::NotANumber)?);
        Ok(Mount { source, point: point.into(), kind, options, device })
    };
    lines(MOUNTINFO, text)?
        .map(|(at, text)| line(text).map_err(|problem| Error::line(MOUNTINFO, at, problem)))
        .collect()
}

/// `254:1` as major and minor number.
pub fn parse_device(text: &str) -> Option<(u32, u32)> {
    let (major, minor) = text.split_once(':')?;
    Some((u32::try_from(number(major)?).ok()?, u32::try_from(number(minor)?).ok()?))
}

/// The mount that `path` lies on: the deepest mount point above it, and of several at one point the last.
pub fn holding<'m>(mounts: &'m [Mount], path: &Path) -> Option<&'m Mount> {
    mounts.iter().filter(|mount| path.starts_with(&mount.point)).max_by_key(|mount| mount.point.components().count())
}
