//! Trees of control groups: finds groups as they come and go.

use super::group::{Group, Shared};
use super::group_delays::GroupDelays;
use super::kernel_file::Budget;
use super::pass::Pass;
use crate::cgroup::directory;
use crate::error::{Error, absent};
use crate::root::Root;
use std::collections::{HashMap, VecDeque};
use std::ffi::CString;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// Groups of one tree that have rows, at most, nearest to the root first. A Kubernetes node has 3000.
const MOST_GROUPS: usize = 4096;

/// A group of a tree, in breadth-first order: parents before their children.
#[derive(Debug)]
struct Node {
    group: Group,
    place: CString,
    /// Links to its directory when its children were listed: two, plus one for each child. A new or removed child changes it.
    links: u64,
}

/// A group and all below it. It is listed again when a group comes or goes.
#[derive(Debug)]
pub(crate) struct Tree {
    path: PathBuf,
    directory: PathBuf,
    nodes: Vec<Node>,
    /// Groups beyond [`MOST_GROUPS`].
    skipped: u64,
    stale: bool,
}

impl Tree {
    pub(crate) fn new(root: &Root, path: &Path) -> Self {
        let directory = directory(root, path);
        Self { path: path.to_owned(), directory, nodes: Vec::new(), skipped: 0, stale: true }
    }

    pub(crate) fn is(&self, path: &Path) -> bool {
        self.path == path
    }

    /// Groups that exist and have no row, not counting groups below them.
    pub(crate) fn skipped(&self) -> u64 {
        self.skipped
    }

    /// Lists the tree again if a group came or went, and opens the files of new groups.
    pub(crate) fn open(&mut self, budget: &mut Budget) -> Result<(), Error> {
        if !self.stale && self.nodes.iter().all(|node| links(&node.place) == Some(node.links)) {
            return Ok(());
        }
        let mut result = self.list(budget);
        for node in &mut self.nodes {
            result = result.and(node.group.open(budget));
        }
        result
    }

    /// Puts a row for every group that is not `taken`. Returns how many.
    pub(crate) fn sample(
        &mut self,
        taken: impl Fn(&Path) -> bool,
        pass: &mut Pass<'_>,
        shared: &mut Shared,
        delays: &mut GroupDelays,
    ) -> (u64, Result<(), Error>) {
        let mut result = Ok(());
        let mut rows = 0;
        for node in &mut self.nodes {
            if taken(&node.group.path) {
                continue;
            }
            let read = node.group.put(pass, shared, delays);
            rows += u64::from(*read.as_ref().unwrap_or(&false));
            // A group that was removed, and perhaps created again, has to be found again.
            self.stale |= node.group.gone;
            result = result.and(read.map(|_| ()));
        }
        (rows, result)
    }

    /// Lists the tree, parents first, and keeps the state of groups that still exist.
    fn list(&mut self, budget: &mut Budget) -> Result<(), Error> {
        let Self { path, directory, nodes, skipped, stale } = self;
        let old = std::mem::take(nodes).into_iter().map(|node| node.group);
        let mut old: HashMap<PathBuf, Group> = old.map(|group| (group.path.clone(), group)).collect();
        *skipped = 0;
        *stale = false;
        let mut waiting = VecDeque::from([(path.clone(), directory.clone())]);
        let mut result = Ok(());
        while let Some((path, directory)) = waiting.pop_front() {
            let place = CString::new(directory.as_os_str().as_bytes()).unwrap_or_default();
            let Some(links) = links(&place) else { continue };
            if nodes.len() == MOST_GROUPS {
                *skipped += 1;
                continue;
            }
            match children(&directory) {
                Ok(children) => {
                    waiting.extend(children.into_iter().map(|name| (path.join(&name), directory.join(name))))
                }
                Err(error) if absent(&error) => continue,
                Err(source) => result = result.and(Err(Error::Read { path: directory.clone(), source })),
            }
            let group = match old.remove(&path) {
                Some(group) if !group.gone => group,
                gone => {
                    gone.into_iter().for_each(|mut group| group.close(budget));
                    Group::new(path, directory)
                }
            };
            nodes.push(Node { group, place, links });
        }
        for group in old.values_mut() {
            group.close(budget);
        }
        result
    }
}

/// Links to a directory; `None` when it is gone.
#[allow(clippy::useless_conversion, reason = "the kernel's count has 32 bits on aarch64 and 64 on x86-64")]
fn links(place: &CString) -> Option<u64> {
    rustix::fs::stat(place.as_c_str()).ok().map(|stat| stat.st_nlink.into())
}

/// The names of the directories in a directory, in order.
fn children(directory: &Path) -> std::io::Result<Vec<std::ffi::OsString>> {
    let mut names = Vec::new();
    for entry in std::fs::read_dir(directory)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            names.push(entry.file_name());
        }
    }
    names.sort();
    Ok(names)
}
