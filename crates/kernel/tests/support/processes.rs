//! A made-up machine: files of processes, and a sampler that reads them.

use pagetide_core::{Sample, Schema, Table};
use pagetide_kernel::{Processes, Root, Sampler, Top, Watch};
use std::path::Path;
use tempfile::TempDir;

/// A process of a made-up machine.
#[derive(Clone)]
pub(crate) struct Made {
    pub(crate) pid: u32,
    pub(crate) comm: &'static str,
    pub(crate) state: char,
    pub(crate) kernel: bool,
    /// It has not called exec.
    pub(crate) fork: bool,
    pub(crate) majflt: u64,
    pub(crate) threads: u64,
    pub(crate) starttime: u64,
    pub(crate) rss: u64,
    pub(crate) io: u64,
    /// Ticks of CPU time in user mode.
    pub(crate) utime: u64,
    pub(crate) nice: i64,
    pub(crate) policy: u64,
}

pub(crate) fn made(pid: u32) -> Made {
    let (comm, state) = ("idle", 'S');
    let (kernel, fork, majflt, threads, starttime, rss, io, utime) = (false, false, 0, 1, 7, 1, 0, 3);
    Made { pid, comm, state, kernel, fork, majflt, threads, starttime, rss, io, utime, nice: 0, policy: 0 }
}

pub(crate) fn stat(made: &Made, id: u32) -> String {
    let Made { comm, state, majflt, threads, starttime, rss, utime, nice, policy, .. } = made;
    let flags = if made.kernel { 0x0020_0000 } else { 0 } | if made.fork { 0x40 } else { 0 };
    let mut fields = vec![format!("{id} ({comm}) {state} 1 1 1 0 -1 {flags} 5 0 {majflt} 0 {utime} 4 0 0 20 {nice}")];
    fields.push(format!("{threads} 0 {starttime} 4096 {rss}"));
    fields.push(format!("{} {policy} {}", ["0"; 16].join(" "), ["0"; 11].join(" ")));
    fields.join(" ") + "\n"
}

pub(crate) fn write(proc: &Path, made: &Made) {
    let folder = proc.join(made.pid.to_string());
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("stat"), stat(made, made.pid)).unwrap();
    std::fs::write(folder.join("io"), format!("rchar: 0\nread_bytes: {}\nwrite_bytes: 0\n", made.io)).unwrap();
    std::fs::write(folder.join("wchan"), if made.state == 'D' { "folio_wait_bit_common" } else { "0" }).unwrap();
}

pub(crate) struct Machine {
    pub(crate) folder: TempDir,
    pub(crate) sampler: Sampler,
    pub(crate) schema: Schema,
    pub(crate) sample: Sample,
}

impl Machine {
    pub(crate) fn new(top: Top, processes: &[Made]) -> Self {
        // In memory: thousands of small files.
        let folder = tempfile::tempdir_in("/dev/shm").unwrap();
        let proc = folder.path().join("proc");
        for made in processes {
            write(&proc, made);
        }
        let watch = Watch { processes: Processes::Top(top), ..Watch::default() };
        let sampler = Sampler::new(&Root::new(folder.path()), watch).unwrap();
        Self { folder, sampler, schema: Schema::default(), sample: Sample::default() }
    }

    pub(crate) fn write(&self, made: &Made) {
        write(&self.folder.path().join("proc"), made);
    }

    /// Takes a sample and gives the names of the processes that have rows, in order.
    pub(crate) fn sample(&mut self) -> Vec<String> {
        self.sampler.sample(&mut self.schema, &mut self.sample).unwrap();
        let rows = self.sample.table(Table::Process).into_iter().flat_map(|rows| rows.rows());
        let mut names: Vec<_> =
            rows.map(|(entity, _)| self.schema.entities(Table::Process)[entity.0 as usize].name.clone()).collect();
        names.sort();
        names
    }

    pub(crate) fn value(&self, table: Table, entity: &str, name: &str) -> Option<i64> {
        let column = self.schema.find_column(table, name)?.0 as usize;
        let entity = self.schema.find_entity(table, entity)?;
        let mut rows = self.sample.table(table)?.rows();
        rows.find(|(id, _)| *id == entity).and_then(|(_, values)| *values.get(column)?)
    }

    pub(crate) fn host(&self, name: &str) -> i64 {
        self.value(Table::Host, "", name).unwrap_or_else(|| panic!("{name} is in the host's row"))
    }
}
