//! One row per watched control group.

use super::group::{Group, Shared};
use super::group_delays::GroupDelays;
use super::group_disk::GroupDisks;
use super::pass::Pass;
use super::tree::Tree;
use crate::cgroup::directory;
use crate::error::Error;
use crate::root::Root;
use std::path::Path;

/// How many groups the trees hold.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Counts {
    /// Groups with a row.
    pub(crate) groups: u64,
    /// Groups without a row, because the limit of rows was reached.
    pub(crate) skipped: u64,
}

#[derive(Debug)]
pub(crate) struct Cgroups {
    groups: Vec<Group>,
    trees: Vec<Tree>,
    shared: Shared,
}

impl Cgroups {
    pub(crate) fn new(root: &Root) -> Self {
        Self { groups: Vec::new(), trees: Vec::new(), shared: Shared::new(GroupDisks::new(root)) }
    }

    /// Watches a group, or with a last part of `**` all groups of a tree.
    pub(crate) fn watch(&mut self, root: &Root, path: &Path) {
        if let (Some("**"), Some(top)) = (path.file_name().and_then(|name| name.to_str()), path.parent()) {
            if !self.trees.iter().any(|tree| tree.is(top)) {
                self.trees.push(Tree::new(root, top));
            }
        } else if !self.groups.iter().any(|group| group.path == path) {
            self.groups.push(Group::new(path.to_owned(), directory(root, path)));
        }
    }

    /// Finds new groups and opens their files, before other readers take from the budget of open files.
    pub(crate) fn open(&mut self, pass: &mut Pass<'_>) -> Result<(), Error> {
        let mut result = Ok(());
        for group in &mut self.groups {
            result = result.and(group.open(pass.budget));
        }
        for tree in &mut self.trees {
            result = result.and(tree.open(pass.budget));
        }
        result
    }

    pub(crate) fn sample(
        &mut self,
        pass: &mut Pass<'_>,
        delays: &mut GroupDelays,
    ) -> (Option<Counts>, Result<(), Error>) {
        let Self { groups, trees, shared } = self;
        shared.disks.begin();
        let mut result = Ok(());
        for group in groups.iter_mut() {
            result = result.and(group.put(pass, shared, delays).map(|_| ()));
        }
        let mut counts = (!trees.is_empty()).then_some(Counts { groups: 0, skipped: 0 });
        for tree in trees {
            let taken = |path: &Path| groups.iter().any(|group| group.path == path);
            let (rows, read) = tree.sample(taken, pass, shared, delays);
            result = result.and(read);
            if let Some(counts) = &mut counts {
                counts.groups += rows;
                counts.skipped += tree.skipped();
            }
        }
        (counts, result)
    }
}
