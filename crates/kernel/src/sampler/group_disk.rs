//! A control group's IO and limits by device: a row for each device that it has done IO on or has a limit for.

use super::pass::Pass;
use super::row::{Row, columns};
use crate::error::{Error, absent};
use crate::root::Root;
use pagetide_core::{ColumnId, Entity, EntityId, Schema, Table};
use pagetide_proctext::cgroup_io::{Device, by_operation, keyed};
use std::path::{Path, PathBuf};

/// Samples between two readings of what people change, and not the kernel: limits, and whether a group is frozen.
const SETTINGS_EVERY: u64 = 8;

/// The columns of the table, counters first.
const COLUMNS: [&str; 12] = [
    "rbytes",
    "wbytes",
    "rios",
    "wios",
    "dbytes",
    "dios",
    "cost_usage",
    "max_rbps",
    "max_wbps",
    "max_riops",
    "max_wiops",
    "latency_target",
];

/// How many of them are counters.
const COUNTERS: usize = 7;

/// v2's names of counters and limits, in the order of their columns.
const STAT_KEYS: [&str; COUNTERS] = ["rbytes", "wbytes", "rios", "wios", "dbytes", "dios", "cost.usage"];
const MAX_KEYS: [&str; 4] = ["rbps", "wbps", "riops", "wiops"];
const LATENCY: usize = COLUMNS.len() - 1;
const COST: usize = COUNTERS - 1;

/// A file of limits.
#[derive(Debug, Clone, Copy)]
enum LimitFile {
    /// `8:16 rbps=… wiops=…`
    Max,
    /// `8:16 target=…`
    Latency,
    /// `8:16 NUMBER`: the limit at this index of [`MAX_KEYS`].
    Throttle(usize),
}

const V2_LIMITS: [(&str, LimitFile); 2] = [("io.max", LimitFile::Max), ("io.latency", LimitFile::Latency)];

const V1_LIMITS: [(&str, LimitFile); 4] = [
    ("blkio.throttle.read_bps_device", LimitFile::Throttle(0)),
    ("blkio.throttle.write_bps_device", LimitFile::Throttle(1)),
    ("blkio.throttle.read_iops_device", LimitFile::Throttle(2)),
    ("blkio.throttle.write_iops_device", LimitFile::Throttle(3)),
];

/// What all groups share: the names of devices, the columns, and how many samples were taken.
#[derive(Debug)]
pub(crate) struct GroupDisks {
    root: Root,
    names: Vec<(Device, String)>,
    columns: Option<[ColumnId; COLUMNS.len()]>,
    round: u64,
    row: Row,
}

impl GroupDisks {
    pub(crate) fn new(root: &Root) -> Self {
        Self { root: root.clone(), names: Vec::new(), columns: None, round: 0, row: Row::default() }
    }

    /// A sample begins.
    pub(crate) fn begin(&mut self) {
        self.round += 1;
    }

    /// Whether this sample reads the settings of the group with this number, which spreads the groups over the samples.
    pub(crate) const fn reads_settings(&self, id: u64) -> bool {
        self.round.wrapping_add(id).is_multiple_of(SETTINGS_EVERY)
    }

    /// The name of a device, from its link below `/sys/dev/block`, or else its number.
    fn name(&mut self, device: Device) -> &str {
        let at = self.names.iter().position(|(known, _)| *known == device).unwrap_or_else(|| {
            let (major, minor) = device;
            let link = std::fs::read_link(self.root.join(format!("/sys/dev/block/{major}:{minor}"))).ok();
            let name = link.as_deref().and_then(Path::file_name).map(|name| name.to_string_lossy().replace('!', "/"));
            self.names.push((device, name.unwrap_or_else(|| format!("{major}:{minor}"))));
            self.names.len() - 1
        });
        &self.names[at].1
    }
}

/// One device of a group.
#[derive(Debug)]
struct OnDevice {
    device: Device,
    entity: Option<EntityId>,
    values: [Option<u64>; COLUMNS.len()],
}

/// The devices of one group.
#[derive(Debug, Default)]
pub(crate) struct DevicesOfGroup {
    devices: Vec<OnDevice>,
    /// Files of limits that the group has.
    limits: Vec<(PathBuf, LimitFile)>,
    read: bool,
}

impl DevicesOfGroup {
    /// For a group of v2 with the directory `folder`.
    pub(crate) fn v2(folder: &Path) -> Self {
        Self::with(folder, &V2_LIMITS)
    }

    /// For a group of v1, whose directory in the hierarchy of the blkio controller is `folder`.
    pub(crate) fn v1(folder: &Path) -> Self {
        Self::with(folder, &V1_LIMITS)
    }

    fn with(folder: &Path, files: &[(&str, LimitFile)]) -> Self {
        let files = files.iter().map(|(name, file)| (folder.join(name), *file));
        Self { devices: Vec::new(), limits: files.filter(|(path, _)| path.exists()).collect(), read: false }
    }

    fn on(devices: &mut Vec<OnDevice>, device: Device) -> &mut [Option<u64>; COLUMNS.len()] {
        let at = devices.iter().position(|known| known.device == device).unwrap_or_else(|| {
            devices.push(OnDevice { device, entity: None, values: [None; COLUMNS.len()] });
            devices.len() - 1
        });
        &mut devices[at].values
    }

    /// Parses `io.stat`. Returns the sums over all devices: bytes read and written, requests read and written.
    pub(crate) fn stat(&mut self, text: &str) -> Result<[u64; 4], Error> {
        let mut sums = [0u64; 4];
        // The kernel prints it while io.cost is on.
        self.devices.iter_mut().for_each(|device| device.values[COST] = None);
        keyed(text, |device, key, value| {
            let Some(at) = STAT_KEYS.iter().position(|known| *known == key) else { return };
            if let Some(sum) = sums.get_mut(at) {
                *sum = sum.saturating_add(value);
            }
            Self::on(&mut self.devices, device)[at] = Some(value);
        })?;
        Ok(sums)
    }

    /// The same for v1's files by operation. `sum` names the metric of the sum of reads, and so what they count.
    pub(crate) fn operations(&mut self, sum: &str, text: &str) -> Result<[u64; 2], Error> {
        let first = STAT_KEYS.iter().position(|key| sum.strip_prefix("io_") == Some(key)).unwrap_or(0);
        let mut sums = [0u64; 2];
        by_operation(text, |device, operation, value| {
            let at = match operation {
                "Read" => 0,
                "Write" => 1,
                _ => return,
            };
            sums[at] = sums[at].saturating_add(value);
            Self::on(&mut self.devices, device)[first + at] = Some(value);
        })?;
        Ok(sums)
    }

    /// Reads the limits when they are due, and puts a row for each device of the group with the number `id`.
    pub(crate) fn put(
        &mut self,
        group: &str,
        id: u64,
        shared: &mut GroupDisks,
        pass: &mut Pass<'_>,
    ) -> Result<(), Error> {
        let due = !self.read || shared.reads_settings(id);
        let read = if self.limits.is_empty() || !due { Ok(()) } else { self.read_limits(pass) };
        let ids = *shared.columns.get_or_insert_with(|| columns(pass.schema, Table::CgroupDisk, COLUMNS));
        for device in &mut self.devices {
            // The group has done no IO on it and has no limit.
            if device.values.iter().all(|value| value.unwrap_or(0) == 0) {
                continue;
            }
            let entity = *device.entity.get_or_insert_with(|| {
                let disk = shared.name(device.device);
                entity(pass.schema, &format!("{group}\t{disk}"), disk)
            });
            shared.row.clear();
            for (column, value) in ids.into_iter().zip(device.values) {
                if let Some(value) = value {
                    shared.row.set(column, value);
                }
            }
            shared.row.put(pass.schema, pass.sample, Table::CgroupDisk, entity);
        }
        read
    }

    fn read_limits(&mut self, pass: &mut Pass<'_>) -> Result<(), Error> {
        self.read = true;
        let Self { devices, limits, .. } = self;
        for device in devices.iter_mut() {
            device.values[COUNTERS..].fill(None);
        }
        let mut result = Ok(());
        for (path, file) in limits.iter() {
            let text = match pass.buffer.read_at(path) {
                Ok(text) => text,
                Err(source) if absent(&source) => continue,
                Err(source) => {
                    result = result.and(Err(Error::Read { path: path.clone(), source }));
                    continue;
                }
            };
            let read = match file {
                LimitFile::Max => keyed(text, |device, key, value| {
                    if let Some(at) = MAX_KEYS.iter().position(|known| *known == key) {
                        Self::on(devices, device)[COUNTERS + at] = Some(value);
                    }
                }),
                LimitFile::Latency => keyed(text, |device, key, value| {
                    if key == "target" && value > 0 {
                        Self::on(devices, device)[LATENCY] = Some(value);
                    }
                }),
                LimitFile::Throttle(at) => by_operation(text, |device, _, value| {
                    Self::on(devices, device)[COUNTERS + at] = Some(value);
                }),
            };
            result = result.and(read.map_err(|error| Error::from(error).at(path)));
        }
        result
    }
}

fn entity(schema: &mut Schema, name: &str, label: &str) -> EntityId {
    schema
        .find_entity(Table::CgroupDisk, name)
        .unwrap_or_else(|| schema.push_entity(Table::CgroupDisk, Entity::new(name, label)))
}
