//! The IO limits of control groups at devices, and when a group uses one up.

use crate::actors::group;
use crate::measure::amount::{Amount, Count, Limit, Per};
use crate::measure::cgroup_version;
use crate::measure::queue;
use crate::measure::signal::Signal;
use crate::measure::window::Window;
use pagetide_core::{Bytes, Moment, Ratio, Span, Table};

/// How much of a limit a throttled group uses.
pub(crate) const USED_UP: Limit<Ratio> = Limit::new(
    "IO of the group, as a share of its limit, at least",
    0.9,
    "The throttle releases requests in slices of 20 or 100 ms, so a group at its limit stays near it.",
    "block/blk-throttle.c: tg_dispatch_time, DFL_THROTL_SLICE_HD (6.12)",
);

/// How much of a limit that was set a group uses which did more before.
pub(crate) const DEMANDED: Limit<Ratio> = Limit::new(
    "the same, of a group that did more than its limit before it was set, at least",
    0.5,
    "A program that waits for each of its requests starts a slice with each: at few requests a second the slices take as long as the limit itself.",
    "block/blk-throttle.c: throtl_start_new_slice, tg_within_iops_limit (6.12)",
);

/// The samples up to which the recorder reads a limit after it was set (`LIMITS_EVERY` of the sampler).
const READ_WITHIN: usize = 8;
/// A rate that is further above a limit shows that the limit is not set yet.
const ABOVE: f64 = 1.1;

/// The device time that the model charges groups with, in microseconds, absent while `io.cost` is off for the device.
///
/// Linux 6.12: block/blk-iocost.c: ioc_pd_stat, ioc_rqos_throttle. Without `min` and `max` of `io.cost.qos` the kernel gives out more than a second of it
/// a second where the device proves faster than its model.
const COST: &str = "cost_usage";
const WHOLE_SECOND: f64 = 1e6;

/// What a limit limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Limited {
    BytesRead,
    BytesWritten,
    Reads,
    Writes,
    /// Time of the device by the cost model of `io.cost`, of all groups together.
    ModelTime,
}

impl Limited {
    pub(crate) const ALL: [Self; 5] = [Self::BytesRead, Self::BytesWritten, Self::Reads, Self::Writes, Self::ModelTime];

    /// The metric that shows the limit.
    pub(crate) const fn limit(self) -> &'static str {
        match self {
            Self::BytesRead => "max_rbps",
            Self::BytesWritten => "max_wbps",
            Self::Reads => "max_riops",
            Self::Writes => "max_wiops",
            Self::ModelTime => COST,
        }
    }

    /// The counter of what it limits.
    pub(crate) const fn counter(self) -> &'static str {
        match self {
            Self::BytesRead => "rbytes",
            Self::BytesWritten => "wbytes",
            Self::Reads => "rios",
            Self::Writes => "wios",
            Self::ModelTime => COST,
        }
    }

    /// Its key in `io.max`; in `io.cost.qos` that of the switch.
    pub(crate) const fn key(self) -> &'static str {
        match self {
            Self::BytesRead => "rbps",
            Self::BytesWritten => "wbps",
            Self::Reads => "riops",
            Self::Writes => "wiops",
            Self::ModelTime => "enable",
        }
    }

    /// The file that holds it, by the version of control groups.
    const fn file(self, v1: bool) -> &'static str {
        match self {
            Self::ModelTime => "io.cost.qos",
            _ if !v1 => "io.max",
            Self::BytesRead => "blkio.throttle.read_bps_device",
            Self::BytesWritten => "blkio.throttle.write_bps_device",
            Self::Reads => "blkio.throttle.read_iops_device",
            Self::Writes => "blkio.throttle.write_iops_device",
        }
    }

    const fn name(self) -> &'static str {
        match self {
            Self::BytesRead | Self::Reads => "reads",
            Self::BytesWritten | Self::Writes => "writes",
            Self::ModelTime => "device time",
        }
    }

    pub(crate) const fn in_bytes(self) -> bool {
        matches!(self, Self::BytesRead | Self::BytesWritten)
    }

    pub(crate) const fn in_requests(self) -> bool {
        matches!(self, Self::Reads | Self::Writes)
    }

    /// What a process does of it, in bytes.
    pub(crate) const fn of_process(self) -> &'static [&'static str] {
        match self {
            Self::BytesRead | Self::Reads => &["read_bytes"],
            Self::BytesWritten | Self::Writes => &["write_bytes"],
            Self::ModelTime => &["read_bytes", "write_bytes"],
        }
    }

    /// The limit in a second, by the value that shows it.
    fn allows(self, shown: f64) -> f64 {
        if self == Self::ModelTime { WHOLE_SECOND } else { shown }
    }
}

/// A limit of a group at a device, and what the group does of it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct IoLimit<'a> {
    pub(crate) group: &'a str,
    pub(crate) disk: &'a str,
    pub(crate) limited: Limited,
    /// A second.
    pub(crate) limit: f64,
    /// What the group, with those below it, does a second; absent where that was not recorded.
    pub(crate) rate: Option<f64>,
}

impl IoLimit<'_> {
    /// The part of the limit that is used; 0 where that was not recorded.
    pub(crate) fn used(&self) -> Amount<Ratio> {
        Amount::new(self.rate.map_or(0.0, |rate| rate / self.limit.max(1.0)))
    }

    /// The file that holds the limit, below the folder of the group.
    pub(crate) fn file(&self, v1: bool) -> &'static str {
        self.limited.file(v1)
    }

    /// Where it is set.
    pub(crate) fn owner(&self, v1: bool) -> String {
        let of = if self.limited == Limited::ModelTime { self.disk } else { self.group };
        format!("{} of {of}", self.setting(v1))
    }

    /// What it is called.
    pub(crate) fn setting(&self, v1: bool) -> &'static str {
        match self.limited {
            Limited::ModelTime => "io.cost",
            _ if v1 => "blkio.throttle",
            _ => "io.max",
        }
    }

    /// Where it is set, what is allowed and what is done.
    pub(crate) fn words(&self, v1: bool) -> String {
        format!("{} {}", self.owner(v1), self.allows())
    }

    /// What is allowed and what is done.
    pub(crate) fn allows(&self) -> String {
        let Self { disk, limited, limit, rate, .. } = self;
        let (name, bytes) = (limited.name(), |rate: f64| Amount::<Per<Bytes>>::new(rate));
        if *limited == Limited::ModelTime {
            let used = Amount::<Ratio>::new(self.used().get().min(1.0));
            return format!("counts {used} of the {name} of {disk} as used, by its model");
        }
        let allows = if limited.in_bytes() {
            format!("{name} of {}", bytes(*limit))
        } else {
            format!("{limit:.0} {name} a second")
        };
        let does = |rate: f64| if limited.in_bytes() { bytes(rate).to_string() } else { format!("{rate:.0}") };
        let does = rate.map_or(String::new(), |rate| format!(", and it does {}", does(rate)));
        format!("allows {allows} on {disk}{does}")
    }
}

/// The limits of all groups at devices, those that were recorded.
fn all<'a>(window: &Window<'a>) -> impl Iterator<Item = (&'a str, &'a str, &'a str, Limited)> {
    let entities = window.recording.entities(Table::CgroupDisk);
    let places = entities.filter_map(|(entity, _)| entity.split_once('\t').map(|(group, disk)| (entity, group, disk)));
    let known = |entity: &str, one: Limited| window.recording.series(Table::CgroupDisk, entity, one.limit()).is_some();
    places.flat_map(move |(entity, group, disk)| {
        Limited::ALL.into_iter().filter(move |one| known(entity, *one)).map(move |one| (entity, group, disk, one))
    })
}

/// Whether a group, or one above it, owns a limit; of the host any does.
fn concerns(owner: &str, group: Option<&str>) -> bool {
    group.is_none_or(|group| group::within(owner, group))
}

/// The limit that a group, or one above it, uses up in a window.
pub(crate) fn reached<'a>(window: &Window<'a>, group: Option<&str>) -> Option<IoLimit<'a>> {
    let whole = Window::whole(window.recording, window.episodes)?;
    let limits = used_up(&whole).into_iter().filter(|(_, during)| during.overlaps(window.span)).map(|(limit, _)| limit);
    let limits = limits.filter(|limit| concerns(limit.group, group));
    limits.max_by(|a, b| a.used().total_cmp(&b.used()))
}

/// The limit that a group, or one above it, comes nearest to in a window; of the host, that of any group.
pub(crate) fn nearest<'a>(window: &Window<'a>, group: Option<&str>) -> Option<IoLimit<'a>> {
    let of = |(entity, group, disk, limited): (&'a str, &'a str, &'a str, Limited)| {
        let limit = limited.allows(window.level::<Count>(Table::CgroupDisk, entity, limited.limit())?.least.get());
        let rate = used(window, (entity, disk), limited)
            .and_then(|rate| rate.mean::<Per<Count>>(window.span))
            .map(Amount::get);
        Some(IoLimit { group, disk, limited, limit, rate })
    };
    let limits = all(window).filter(|(_, owner, ..)| concerns(owner, group)).filter_map(of);
    limits.max_by(|a, b| a.used().total_cmp(&b.used()))
}

/// The stretches of a window in which groups use up a limit, one of each group, device and kind.
pub(crate) fn used_up<'a>(window: &Window<'a>) -> Vec<(IoLimit<'a>, Span)> {
    all(window).filter_map(|(entity, group, disk, limited)| at_limit(window, entity, (group, disk), limited)).collect()
}

/// What a group, or all groups together where they share it, do a second of what is limited at a disk.
fn used(window: &Window<'_>, (entity, disk): (&str, &str), limited: Limited) -> Option<Signal> {
    let entities = match limited {
        Limited::ModelTime => group::leaves(window.recording).iter().map(|group| group::of_disk(group, disk)).collect(),
        _ => vec![entity.to_owned()],
    };
    let counters = entities.iter().map(|entity| (entity.as_str(), limited.counter()));
    Signal::rate_of_each(window.recording, Table::CgroupDisk, counters, window.span)
}

/// The stretch of the largest sum of what a group does above [`USED_UP`] or [`DEMANDED`] of its limit: on average it does that much, and a slower second
/// within does not end it.
fn at_limit<'a>(
    window: &Window<'a>,
    entity: &str,
    (group, disk): (&'a str, &'a str),
    limited: Limited,
) -> Option<(IoLimit<'a>, Span)> {
    let recording = window.recording;
    let set: Vec<(i64, i64)> = recording.series(Table::CgroupDisk, entity, limited.limit())?.points().collect();
    let rates: Vec<(Span, f64)> = used(window, (entity, disk), limited)?.intervals_in(window.span).collect();
    let mut limits = limits_of(limited, &set, &rates);
    // A limit is read some samples after it was set.
    let mut back = None;
    for at in (0..limits.len()).rev() {
        match limits[at] {
            Some(limit) => back = Some((limit, READ_WITHIN)),
            None => {
                back = back.filter(|(limit, left)| *left > 0 && rates[at].1 <= limit * ABOVE);
                back = back.map(|(limit, left)| (limit, left - 1));
                limits[at] = back.map(|(limit, _)| limit);
            }
        }
    }
    let used_up = used_up_from(limited, &rates, &limits);
    let (mut most, mut found) = (0.0, None);
    let (mut sum, mut from) = (0.0, 0);
    let paced = paced(&rates, &limits);
    for (at, (((span, _), rate), limit)) in rates.iter().zip(&paced).zip(&limits).enumerate() {
        if sum <= 0.0 {
            (sum, from) = (0.0, at);
        }
        let Some(limit) = limit else {
            sum = 0.0;
            continue;
        };
        sum += ((rate / limit).min(1.0) - used_up) * span.length().as_f64();
        if sum > most {
            (most, found) = (sum, Some(from..at + 1));
        }
    }
    let found = found?;
    let from = first_held(&rates, &limits, found.start);
    let span = Span { from: rates[from].0.from, to: rates[found.end - 1].0.to };
    if span.length() < queue::least(recording) {
        return None;
    }
    let limit = limits[found.end - 1]?;
    let time: f64 = rates[found.clone()].iter().map(|(span, _)| span.length().as_f64()).sum();
    let done: f64 = rates[found].iter().map(|(span, rate)| rate * span.length().as_f64()).sum();
    Some((IoLimit { group, disk, limited, limit, rate: Some(done / time.max(1.0)) }, span))
}

/// What a group does in each interval, where a request that its limit allows in no single one counts in those in which it waited: the throttle sends it
/// once its time has passed, and the counter rises then (`block/blk-throttle.c: tg_within_bps_limit`, 6.12).
fn paced(rates: &[(Span, f64)], limits: &[Option<f64>]) -> Vec<f64> {
    let mut carried = 0.0;
    let back = rates.iter().zip(limits).rev().map(|((span, rate), limit)| {
        let Some(limit) = limit else {
            carried = 0.0;
            return *rate;
        };
        let time = span.length().as_f64();
        let all = rate * time + carried;
        carried = (all - limit * time).max(0.0);
        (all - carried) / time.max(1.0)
    });
    let mut paced: Vec<f64> = back.collect();
    paced.reverse();
    paced
}

/// Of a limit the share from which on it is used up.
fn used_up_from(limited: Limited, rates: &[(Span, f64)], limits: &[Option<f64>]) -> f64 {
    let unlimited = limits.iter().take_while(|limit| limit.is_none()).count();
    let mut before: Vec<f64> = rates[..unlimited].iter().map(|(_, rate)| *rate).collect();
    let middle = before.len() / 2;
    let demanded = before.len() >= READ_WITHIN && {
        let (_, median, _) = before.select_nth_unstable_by(middle, f64::total_cmp);
        limits[unlimited..].first().copied().flatten().is_some_and(|limit| *median > limit * ABOVE)
    };
    if demanded {
        return DEMANDED.get();
    }
    // With less than a request in each slice, a program that waits for each of them starts a slice with each as well.
    let least = if each_slice(limited, limits).is_some_and(|each| each < 1.0) { DEMANDED } else { USED_UP };
    least.get() * in_slices(limited, limits)
}

/// The requests of a limit that one slice of the throttle allows, where requests are limited.
fn each_slice(limited: Limited, limits: &[Option<f64>]) -> Option<f64> {
    const SLICE_SECONDS: f64 = 0.1;
    let limit = limits.iter().flatten().last().filter(|_| limited.in_requests())?;
    Some(limit * SLICE_SECONDS)
}

/// The part of a limit of requests that a group can use: of each slice only whole requests count, and what is left of one is lost when the slice is
/// trimmed (`block/blk-throttle.c: throtl_trim_slice`; `DFL_THROTL_SLICE_HD` is 100 ms). On Linux 5.10 a group with 24 a second did 18.
fn in_slices(limited: Limited, limits: &[Option<f64>]) -> f64 {
    match each_slice(limited, limits) {
        // A request waits until whole slices allow one.
        Some(each) if each < 1.0 => 1.0 / ((1.0 / each).ceil() * each),
        Some(each) => each.floor() / each,
        None => 1.0,
    }
}

/// The interval from which on a limit holds that is used up from `start` on: a group that did more before does no more from the first one on, whatever
/// else slows it down for some seconds.
fn first_held(rates: &[(Span, f64)], limits: &[Option<f64>], start: usize) -> usize {
    let limit = limits[start].unwrap_or(f64::INFINITY) * ABOVE;
    let below = rates[..start].iter().rev().take_while(|(_, rate)| *rate <= limit).count();
    let from = start - below;
    let known = limits[from..start].iter().all(Option::is_some);
    if from > 0 && known { from } else { start }
}

/// Whether a group did IO at a device in most of the intervals before a moment; also where nothing was recorded before it.
pub(crate) fn used_before(window: &Window<'_>, group: &str, disk: &str, at: Moment) -> bool {
    let entity = group::of_disk(group, disk);
    let Some(signal) = Signal::rate(window.recording, Table::CgroupDisk, &entity, &["rios", "wios"]) else {
        return true;
    };
    let (mut all, mut active) = (0, 0);
    for (_, rate) in signal.intervals().take_while(|(span, _)| span.to <= at) {
        all += 1;
        active += usize::from(rate > 0.0);
    }
    active * 2 >= all
}

/// The limit that holds at the end of each interval; none where there is none, or where it is 0.
fn limits_of(limited: Limited, set: &[(i64, i64)], rates: &[(Span, f64)]) -> Vec<Option<f64>> {
    let of = |span: Span| {
        let upto = set.partition_point(|(at, _)| Moment::new(*at) <= span.to);
        let (at, limit) = set[..upto].last()?;
        (Moment::new(*at) > span.from && *limit > 0).then_some(limited.allows(*limit as f64))
    };
    rates.iter().map(|(span, _)| of(*span)).collect()
}

/// The limit that a group comes nearest to, in words.
pub(crate) fn words(window: &Window<'_>, group: Option<&str>) -> Option<String> {
    Some(nearest(window, group)?.words(cgroup_version::is_v1(window.recording)))
}
