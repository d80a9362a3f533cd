//! Any bytes as a tree of the kernel's files, as `fixtures/kernel/capture` prints it: facts, groups and two samples or more are
//! taken of it or refused, and a sample fits its schema. A file that comes a second time has changed between two samples.

use crate::seed;
use pagetide_core::{Sample, Schema, Table};
use pagetide_kernel::{Processes, Root, Sampler, Watch, cgroup, damon, facts};
use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};

/// Samples taken of one input at most.
const STAGES: usize = 4;

/// The captured trees.
pub fn seeds() -> Vec<Vec<u8>> {
    seed::files("fixtures/kernel", &[".tree"])
}

/// Reads the bytes as a tree.
pub fn run(bytes: &[u8]) {
    let folder = seed::scratch();
    let root = Root::new(folder.path());
    let files = files(bytes);
    let mut stages = stages(&files).into_iter();
    write(folder.path(), &stages.next().unwrap_or_default());
    let _ = (facts(&root), root.vm_sysctls(), damon::actions(&root));
    let watch = Watch::flight_recorder(&root).unwrap_or_default();
    for group in &watch.cgroups {
        let _ = root.cgroup(group.parent().unwrap_or(group));
    }
    let _ = cgroup::trees(&root);
    let everyone = Watch { processes: Processes::All, ..watch.clone() };
    let mut samplers: Vec<_> = [watch, everyone]
        .into_iter()
        .filter_map(|watch| Some((Sampler::new(&root, watch).ok()?, Schema::default(), Sample::default())))
        .collect();
    let mut look = || {
        for (sampler, schema, sample) in &mut samplers {
            let _ = sampler.sample(schema, sample);
            check(schema, sample);
        }
    };
    look();
    for changed in stages.take(STAGES) {
        write(folder.path(), &changed);
        look();
    }
    look();
}

/// Every row belongs to an entity, once, and has no more cells than there are columns.
fn check(schema: &Schema, sample: &Sample) {
    for table in Table::ALL {
        let Some(rows) = sample.table(table) else { continue };
        let mut seen = BTreeSet::new();
        for (entity, values) in rows.rows() {
            assert!(schema.entities(table).get(entity.0 as usize).is_some(), "{table:?} {entity:?}");
            assert!(seen.insert(entity), "{table:?} {entity:?} twice");
            assert!(values.len() <= schema.columns(table).len(), "{table:?} {entity:?}");
        }
    }
}

/// The files of an archive: a line `== path` begins one.
pub(crate) fn files(bytes: &[u8]) -> Vec<(String, String)> {
    let mut files: Vec<(String, String)> = Vec::new();
    for line in String::from_utf8_lossy(bytes).split_inclusive('\n') {
        match (line.strip_prefix("== "), files.last_mut()) {
            (Some(path), _) => files.push((path.trim_end().to_owned(), String::new())),
            (None, Some((_, text))) => text.push_str(line),
            (None, None) => {}
        }
    }
    files
}

/// The files in parts, in each of which no path comes twice.
fn stages(files: &[(String, String)]) -> Vec<Vec<(PathBuf, &str)>> {
    let (mut stages, mut paths) = (vec![Vec::new()], BTreeSet::new());
    for (path, text) in files {
        let Some(path) = inside(path) else { continue };
        if !paths.insert(path.clone()) {
            paths = BTreeSet::from([path.clone()]);
            stages.push(Vec::new());
        }
        stages.last_mut().expect("there is one").push((path, text.as_str()));
    }
    stages
}

/// A path that stays within its folder.
fn inside(path: &str) -> Option<PathBuf> {
    let path = Path::new(path);
    let plain = path.components().all(|part| matches!(part, Component::Normal(_)));
    (plain && path.file_name().is_some()).then(|| path.to_owned())
}

/// Writes what can be written: a file may be where a folder is wanted.
fn write(folder: &Path, files: &[(PathBuf, &str)]) {
    for (path, text) in files {
        let path = folder.join(path);
        let _ = path.parent().map(std::fs::create_dir_all);
        let _ = std::fs::write(path, text);
    }
}
