//! The files that jobs work on.
//!
//! Jobs that only read share a file, filled with real data before the first step and as large as the largest of them needs.
//! A job that writes gets a new file of its own, which is gone after its step, unless it names one.

use super::disk::{self, Disk};
use crate::fio;
use pagetide_core::{Action, Bytes, Error, FioJob, HoldKind, Load, Outcome, Place, Progress, Scenario, Step};
use pagetide_kernel::cached;
use pagetide_sim::workload::next_random;
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};

/// The data files of a run.
#[derive(Debug)]
pub struct Files {
    data: PathBuf,
    disks: Vec<Disk>,
    results: PathBuf,
    fio: PathBuf,
    /// Files that several steps use, by name.
    shared: BTreeMap<String, Bytes>,
    /// Those that loads read.
    loads: Vec<PathBuf>,
}

/// The name of the file that jobs share which only read and name none.
const SHARED: &str = "data";

pub(crate) fn writes_only(job: &FioJob) -> bool {
    matches!(job.rw.as_str(), "write" | "randwrite")
}

/// The name of the file that a job shares with others; absent when it has one of its own.
pub(crate) fn shared_name(job: &FioJob) -> Option<&str> {
    job.file.as_deref().or_else(|| job.reads_only().then_some(SHARED))
}

fn jobs(scenario: &Scenario) -> impl Iterator<Item = &FioJob> {
    scenario.steps.iter().filter_map(|step| match &step.action {
        Action::Fio(job) => Some(job),
        _ => None,
    })
}

/// The files that must be there before the first step, with their sizes.
pub(crate) fn shared_files(scenario: &Scenario) -> BTreeMap<String, Bytes> {
    let mut files = BTreeMap::new();
    for job in jobs(scenario).filter(|job| !writes_only(job)) {
        if let Some(name) = shared_name(job) {
            let size = files.entry(name.to_owned()).or_insert(Bytes::ZERO);
            *size = job.size.max(*size);
        }
    }
    files
}

/// Room that the files of a scenario take at most at one time, on all of its disks.
pub(crate) fn room(scenario: &Scenario) -> Bytes {
    let rooms = scenario.machine.disks.iter().map(|disk| room_on(scenario, &disk.name));
    rooms.fold(Bytes::ZERO, Bytes::saturating_add)
}

/// Room that they take at most at one time on one disk. fio's files and those that hold memory lie on the first.
pub(crate) fn room_on(scenario: &Scenario, disk: &str) -> Bytes {
    let first = scenario.machine.disks.first().map_or("", |disk| disk.name.as_str());
    // What loads write stays until the end of the run.
    let loads: BTreeMap<String, Bytes> = load_files(scenario, |load| load.spec().reads())
        .chain(load_files(scenario, |load| load.spec().writes()))
        .filter(|(place, _)| place.disk().unwrap_or(first) == disk)
        .map(|(place, size)| (place.to_string(), size))
        .collect();
    let loads = loads.into_values().fold(Bytes::ZERO, Bytes::saturating_add);
    if disk != first {
        return loads;
    }
    let mut shared = shared_files(scenario);
    let mut own = Bytes::ZERO;
    for job in jobs(scenario) {
        match shared_name(job) {
            Some(name) => {
                let size = shared.entry(name.to_owned()).or_insert(Bytes::ZERO);
                *size = job.size.max(*size);
            }
            None => own = own.max(job.size),
        }
    }
    let held = scenario.steps.iter().filter_map(|step| match &step.action {
        Action::Hold(hold) if hold.kind == HoldKind::File => Some(hold.size),
        _ => None,
    });
    shared.into_values().chain(held).chain([own]).fold(loads, Bytes::saturating_add)
}

impl Files {
    /// Fills the shared files of a scenario on its disks, fio's in the folder of the first, and takes them out of the page cache again. fio's own output
    /// goes to `results`.
    ///
    /// # Errors
    /// fio fails, the disk is full, the user interrupts.
    pub fn lay_out(
        scenario: &Scenario,
        disks: &[Disk],
        results: &Path,
        fio: &Path,
        seed: u64,
        progress: &mut dyn Progress,
    ) -> Result<Self, Error> {
        let shared = shared_files(scenario);
        let data = disk::path(disks, &Place::File { name: String::new(), disk: None })?;
        let mut files = Self {
            data: data.clone(),
            disks: disks.to_vec(),
            results: results.to_owned(),
            fio: fio.to_owned(),
            shared,
            loads: Vec::new(),
        };
        for (name, size) in &files.shared {
            progress.say(&format!("writing a file of {size} that steps read: {}", data.join(name).display()));
            files.fill(name, *size, progress)?;
        }
        files.fill_for_loads(scenario, seed, progress)?;
        Ok(files)
    }

    /// Fills the files that loads read, with content that does not compress.
    fn fill_for_loads(&mut self, scenario: &Scenario, seed: u64, progress: &mut dyn Progress) -> Result<(), Error> {
        for (place, size) in load_files(scenario, |load| load.spec().reads()) {
            let path = disk::path(&self.disks, &place)?;
            let there = fs::metadata(&path).map_or(0, |meta| meta.len());
            if there < size.get() {
                progress.say(&format!("writing a file of {size} that steps read: {}", path.display()));
                write_random(&path, size, crate::seed::derive(seed, &place.to_string()), progress)?;
                self.forget(&path, size, progress)?;
            }
            self.loads.push(path);
        }
        Ok(())
    }

    fn fill(&self, name: &str, size: Bytes, progress: &mut dyn Progress) -> Result<(), Error> {
        let path = self.data.join(name);
        let result = self.results.join(format!("fio-layout-{name}.json"));
        let arguments = fio::layout(name, size.get());
        let ended = fio::Run::start(&self.fio, &arguments, &self.data, &result, None)?.wait(progress)?;
        let written = fs::metadata(&path).map_or(0, |meta| meta.len());
        if ended.outcome != Outcome::Done || written < size.get() {
            return Err(Error::system(
                format!("cannot fill {} with {size}: {}", path.display(), ended.notes.join("; ")),
                "check the free room of the disk with `df`",
            ));
        }
        self.forget(&path, size, progress)
    }

    /// Drops a new file from the page cache: the first reader of a page is charged for it, and that must be the job.
    fn forget(&self, path: &Path, size: Bytes, progress: &mut dyn Progress) -> Result<(), Error> {
        super::caches::drop_file(path)?;
        if cached::bytes(path).is_ok_and(|left| left.get() > size.get() / 100) {
            progress.say(&format!("part of {} stays in the page cache until it is dropped", path.display()));
        }
        Ok(())
    }

    /// The folder of fio's files.
    pub(super) fn folder(&self) -> &Path {
        &self.data
    }

    /// The file that a step works on.
    pub(super) fn of(&self, step: &Step) -> Option<PathBuf> {
        name_of(step).map(|name| self.data.join(name))
    }

    /// The files that are there for the whole run.
    pub(super) fn shared(&self) -> Vec<PathBuf> {
        self.shared.keys().map(|name| self.data.join(name)).chain(self.loads.iter().cloned()).collect()
    }

    /// Makes the step's own file ready: none for a job that writes, a filled one for a job that also reads.
    pub(super) fn prepare(&self, step: &Step, progress: &mut dyn Progress) -> Result<(), Error> {
        let Action::Fio(job) = &step.action else { return Ok(()) };
        if shared_name(job).is_none() {
            self.finish(step);
            if !writes_only(job) {
                self.fill(&own_name(step), job.size, progress)?;
            }
        }
        Ok(())
    }

    /// Removes the step's own file.
    pub(super) fn finish(&self, step: &Step) {
        if let Action::Fio(job) = &step.action
            && shared_name(job).is_none()
        {
            // What cannot be removed now goes with the folder at the end of the run.
            let _ = fs::remove_file(self.data.join(own_name(step)));
        }
    }
}

/// The files that loads read or write, with the most that is needed of each.
fn load_files(
    scenario: &Scenario,
    which: impl Fn(&Load) -> Option<(&Place, Bytes)>,
) -> impl Iterator<Item = (Place, Bytes)> {
    let mut files: BTreeMap<String, (Place, Bytes)> = BTreeMap::new();
    for (place, size) in scenario.loads().filter_map(which).filter(|(place, _)| place.is_file()) {
        let (_, most) = files.entry(place.to_string()).or_insert_with(|| (place.clone(), Bytes::ZERO));
        *most = size.max(*most);
    }
    files.into_values()
}

/// Writes a file of numbers that do not compress, to the disk.
fn write_random(path: &Path, size: Bytes, seed: u64, progress: &mut dyn Progress) -> Result<(), Error> {
    const CHUNK: usize = 1 << 20;
    const PAGE: usize = 4096;
    let lost = |error: std::io::Error| {
        Error::system(
            format!("cannot fill {} with {size}: {error}", path.display()),
            "check the free room of the disk with `df`",
        )
    };
    let mut file = File::create(path).map_err(lost)?;
    let (mut state, mut written) = (seed.max(1), 0);
    let mut chunk = vec![0; CHUNK];
    for word in chunk.chunks_exact_mut(8) {
        state = next_random(state);
        word.copy_from_slice(&state.to_ne_bytes());
    }
    while written < size.get() {
        if progress.interrupted() {
            return Err(Error::interrupted());
        }
        // Each page is another one. All of its words anew would take an emulated CPU most of the time.
        for page in chunk.chunks_exact_mut(PAGE) {
            state = next_random(state);
            page[..8].copy_from_slice(&state.to_ne_bytes());
        }
        let length = CHUNK.min(usize::try_from(size.get() - written).unwrap_or(CHUNK));
        file.write_all(&chunk[..length]).map_err(lost)?;
        written += length as u64;
        // A machine with little memory and a slow disk is not filled with dirty pages.
        if written.is_multiple_of(64 << 20) {
            file.sync_data().map_err(lost)?;
            rustix::fs::fadvise(&file, 0, None, rustix::fs::Advice::DontNeed).map_err(|error| lost(error.into()))?;
        }
        progress.update(Some(written as f64 / size.as_f64()), None, &path.display().to_string());
    }
    file.sync_all().map_err(lost)
}

/// The name of the file that a step works on.
pub(crate) fn name_of(step: &Step) -> Option<String> {
    match &step.action {
        Action::Fio(job) => Some(shared_name(job).map_or_else(|| own_name(step), str::to_owned)),
        _ => None,
    }
}

pub(crate) fn own_name(step: &Step) -> String {
    format!("own-{}", step.id)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scenario(steps: &str) -> Scenario {
        let head = "id = \"t\"\ntitle = \"t\"\nsource = \"t\"\n[machine]\ncpus = 1\nmemory = \"1GiB\"\n\
                    [[machine.disk]]\nname = \"data\"\nsize = \"1GiB\"\n";
        let steps: String = steps
            .lines()
            .enumerate()
            .map(|(at, job)| format!("[[step]]\nid = \"S{at}\"\nfio = {{ bs = \"4k\", {job} }}\n"))
            .collect();
        Scenario::parse(&format!("{head}{steps}"), "t.toml").unwrap()
    }

    #[test]
    fn readers_share_the_largest_file_and_writers_have_their_own() {
        let scenario = scenario(
            "rw = \"randread\", size = \"2MiB\"\nrw = \"read\", size = \"4MiB\"\nrw = \"randwrite\", size = \"16MiB\"\n\
             rw = \"write\", size = \"1MiB\", file = \"log\"\nrw = \"randrw\", size = \"8MiB\"",
        );
        let shared = shared_files(&scenario);
        assert_eq!(shared.into_iter().collect::<Vec<_>>(), [("data".to_owned(), Bytes::new(4 << 20))]);
        assert_eq!(room(&scenario), Bytes::new((16 + 4 + 1) << 20), "own files are there one at a time");
    }

    #[test]
    fn what_loads_read_and_write_is_counted_on_its_own_disk() {
        let text = "id = \"t\"\ntitle = \"t\"\nsource = \"t\"\n[machine]\ncpus = 1\nmemory = \"1GiB\"\n\
                    [[machine.disk]]\nname = \"a\"\nsize = \"1MiB\"\n[[machine.disk]]\nname = \"b\"\nsize = \"1MiB\"\n\
                    [[step]]\nid = \"A\"\ncopy = { from = \"file:x\", to = \"file:y@b\", size = \"8MiB\" }\n\
                    [[step]]\nid = \"B\"\ncopy = { from = \"file:x\", to = \"file:z@b\", size = \"4MiB\" }\n\
                    [[step]]\nid = \"C\"\nhold = { size = \"2MiB\", kind = \"file\" }\n";
        let scenario = Scenario::parse(text, "t.toml").unwrap();
        assert_eq!((room_on(&scenario, "a"), room_on(&scenario, "b")), (Bytes::new(10 << 20), Bytes::new(12 << 20)));
        assert_eq!(room(&scenario), Bytes::new(22 << 20));
    }

    #[test]
    fn a_named_file_is_laid_out_when_anybody_reads_it() {
        let scenario =
            scenario("rw = \"write\", size = \"8MiB\", file = \"log\"\nrw = \"read\", size = \"2MiB\", file = \"log\"");
        assert_eq!(shared_files(&scenario)["log"], Bytes::new(2 << 20));
        assert_eq!(room(&scenario), Bytes::new(8 << 20));
    }
}
