//! Dirty limits and the throttle of writers (`mm/page-writeback.c`). Times are ticks of the kernel's clock (`CONFIG_HZ` = 250).

use crate::devices::bdi::Wb;
use crate::host::Host;
use crate::tick::{BANDWIDTH_INTERVAL, HZ, JIFFY};

/// The longest pause (`MAX_PAUSE`).
const MAX_PAUSE: u64 = HZ / 5;
/// `DIRTY_POLL_THRESH`: 128 KiB.
const POLL: u64 = 32;
/// 1.0 of a position ratio (`RATELIMIT_CALC_SHIFT`).
const ONE_SHIFT: u32 = 10;
/// Ticks over which shares of completions are counted (`VM_COMPLETIONS_PERIOD_LEN`).
const PERIOD: u64 = 3 * HZ;

/// Limits at one moment, and how dirty the machine and a device are (`struct dirty_throttle_control`).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Limits {
    pub(crate) thresh: u64,
    pub(crate) background: u64,
    dirty: u64,
    wb_thresh: u64,
    wb_dirty: u64,
    /// The limit as it falls (`hard_dirty_limit`).
    limit: u64,
    position: u64,
}

impl Limits {
    /// Below this nobody is throttled (`dirty_freerun_ceiling`).
    const fn freerun(&self) -> u64 {
        (self.thresh + self.background) / 2
    }
}

impl Host {
    /// Ticks since boot.
    pub(crate) const fn jiffies(&self) -> u64 {
        self.now / JIFFY
    }

    /// Memory that may be dirtied (`global_dirtyable_memory`).
    pub(crate) fn dirtyable(&self) -> u64 {
        use crate::memory::kind::Kind;
        let free = self.free_pages();
        let file: u64 = if self.mglru() {
            self.generation_size(Kind::File)
        } else {
            self.lruvecs.iter().map(|lruvec| lruvec.of_kind(Kind::File)).sum()
        };
        free.saturating_sub(self.totalreserve) + file + 1
    }

    /// Dirty and background threshold (`domain_dirty_limits`).
    pub(crate) fn thresholds(&self) -> (u64, u64) {
        let vm = &self.spec.sysctls;
        let available = self.dirtyable();
        let of = |bytes: u64, ratio: u64| {
            if bytes > 0 {
                bytes.div_ceil(crate::PAGE_SIZE)
            } else {
                (u128::from(ratio * crate::PAGE_SIZE / 100) * u128::from(available) / u128::from(crate::PAGE_SIZE))
                    as u64
            }
        };
        let thresh = of(vm.dirty_bytes, vm.dirty_ratio);
        let background = of(vm.dirty_background_bytes, vm.dirty_background_ratio);
        (thresh, if background >= thresh { thresh / 2 } else { background })
    }

    /// The limit as the kernel sets it at boot and when `dirty_ratio` or `dirty_bytes` changes (`writeback_set_ratelimit`).
    pub(crate) fn reset_dirty_limit(&mut self) {
        self.domain.dirty_limit = self.thresholds().0;
    }

    /// A page was written (`wb_domain_writeout_add`).
    pub(crate) fn count_completion(&mut self, device: usize) {
        self.age_completions();
        self.domain.completions += 1;
        self.wbs[device].completions += 1;
    }

    /// Halves the counts when a period has ended (`fprop_new_period`).
    fn age_completions(&mut self) {
        let now = self.jiffies();
        if self.domain.period_ends == 0 {
            self.domain.period_ends = now + PERIOD;
            return;
        }
        while now >= self.domain.period_ends && self.domain.completions > 0 {
            self.domain.completions /= 2;
            for wb in &mut self.wbs {
                wb.completions /= 2;
            }
            self.domain.period_ends += PERIOD;
        }
        if now >= self.domain.period_ends {
            self.domain.period_ends = now + PERIOD;
        }
    }

    /// A device's share of a threshold (`__wb_calc_thresh`).
    pub(crate) fn share(&mut self, device: usize, thresh: u64) -> u64 {
        if !self.spec.mechanisms.device_share {
            return thresh;
        }
        self.age_completions();
        if self.domain.completions == 0 {
            return 0;
        }
        (u128::from(thresh) * u128::from(self.wbs[device].completions) / u128::from(self.domain.completions)) as u64
    }

    /// Lets a task that dirtied pages of a mapping wait, if it must (`balance_dirty_pages_ratelimited`).
    pub(crate) fn throttle_writer(&mut self, mapping: usize) -> Option<u64> {
        let (device, _) = self.mappings[mapping].on_device()?;
        let task = &self.tasks[self.current];
        let mut every = task.nr_dirtied_pause.max(1);
        if self.wbs[device].exceeded {
            every = every.min(8);
        }
        if task.nr_dirtied < every {
            return None;
        }
        let dirtied = task.nr_dirtied;
        self.balance_dirty(device, dirtied)
    }

    /// `balance_dirty_pages`: when the task may go on.
    fn balance_dirty(&mut self, device: usize, dirtied: u64) -> Option<u64> {
        self.estimate_when_due(device);
        let now = self.jiffies();
        let (thresh, background) = self.thresholds();
        let dirty = self.gauges.dirty + self.gauges.writeback;
        let mut limits = Limits { thresh, background, dirty, ..Limits::default() };
        if self.gauges.dirty > background && !self.wbs[device].busy() {
            self.wbs[device].start_background();
        }
        if dirty <= limits.freerun() {
            let task = &mut self.tasks[self.current];
            task.dirty_paused_at = now;
            task.nr_dirtied = 0;
            task.nr_dirtied_pause = poll_interval(dirty, thresh);
            return None;
        }
        if !self.wbs[device].busy() {
            self.wbs[device].start_background();
        }
        limits.wb_thresh = self.share(device, thresh);
        limits.wb_dirty = self.wbs[device].dirty + self.wbs[device].writeback;
        limits.limit = self.hard_limit(thresh);
        self.wbs[device].exceeded = limits.wb_dirty > limits.wb_thresh && dirty > thresh;
        limits.position = if self.spec.mechanisms.position_ratio {
            position_ratio(&limits, &self.wbs[device])
        } else if dirty >= limits.limit {
            0
        } else {
            1 << ONE_SHIFT
        };
        if now > self.wbs[device].estimated_at + BANDWIDTH_INTERVAL {
            self.update_dirty_limit(&limits);
            self.update_bandwidth(device, Some(&limits));
        }
        let wb = &self.wbs[device];
        let rate = wb.dirty_ratelimit;
        let task_rate = (rate * limits.position) >> ONE_SHIFT;
        let max_pause =
            (limits.wb_dirty / (1 + wb.average_bandwidth / (1 + HZ / 8).next_power_of_two()) + 1).min(MAX_PAUSE);
        let (min_pause, pages) = min_pause(wb, max_pause, task_rate);
        let task = &mut self.tasks[self.current];
        let mut start = now;
        let mut pause = max_pause;
        if let Some(period) = (HZ * dirtied).checked_div(task_rate) {
            let thought = if task.dirty_paused_at > 0 { now as i64 - task.dirty_paused_at as i64 } else { 0 };
            let wanted = period as i64 - thought;
            if wanted < min_pause as i64 {
                if wanted < -(HZ as i64) {
                    task.dirty_paused_at = now;
                    task.nr_dirtied = 0;
                } else if period > 0 {
                    task.dirty_paused_at += period;
                    task.nr_dirtied = 0;
                } else if task.nr_dirtied_pause <= dirtied {
                    task.nr_dirtied_pause += dirtied;
                }
                return None;
            }
            pause = wanted as u64;
            if pause > max_pause {
                start += (pause - max_pause).min(max_pause);
                pause = max_pause;
            }
        }
        task.dirty_paused_at = start + pause;
        task.nr_dirtied_pause = pages;
        // With a rate of 0 it looks again after the pause.
        if task_rate > 0 || limits.wb_dirty <= 1 {
            task.nr_dirtied = 0;
        }
        task.stats.throttled += pause * JIFFY;
        self.wbs[device].throttled_at = Some(self.now);
        Some(self.now + pause * JIFFY)
    }

    /// `hard_dirty_limit`.
    fn hard_limit(&self, thresh: u64) -> u64 {
        if self.spec.mechanisms.slow_dirty_limit { thresh.max(self.domain.dirty_limit) } else { thresh }
    }

    /// `update_dirty_limit`: follows at once upwards, and by a 32nd of the distance downwards. Only throttled writers call it.
    fn update_dirty_limit(&mut self, limits: &Limits) {
        let now = self.jiffies();
        if now < self.domain.limit_at + BANDWIDTH_INTERVAL {
            return;
        }
        self.domain.limit_at = now;
        let domain = &mut self.domain;
        if domain.dirty_limit < limits.thresh {
            domain.dirty_limit = limits.thresh;
            return;
        }
        let floor = limits.thresh.max(limits.dirty);
        domain.dirty_limit -= domain.dirty_limit.saturating_sub(floor) >> 5;
    }

    /// A round of writes begins: time without writes does not count (`wb_bandwidth_estimate_start`).
    pub(crate) fn start_estimate(&mut self, device: usize) {
        let now = self.jiffies();
        let wb = &mut self.wbs[device];
        if wb.writeback == 0 && now > wb.estimated_at + HZ {
            wb.dirtied_stamp = wb.dirtied;
            wb.written_stamp = wb.written;
            wb.estimated_at = now;
        }
    }

    /// A round of writes was sent (the end of `do_writepages`).
    pub(crate) fn estimate_round(&mut self, device: usize) {
        if self.jiffies() > self.wbs[device].estimated_at + BANDWIDTH_INTERVAL {
            self.update_bandwidth(device, None);
        }
    }

    /// Does the estimate that the end of the last write put off by an interval (`wb_update_bandwidth_workfn`). Called before a count
    /// of the device changes, so it is as if it came in time.
    #[inline]
    pub(crate) fn estimate_when_due(&mut self, device: usize) {
        if self.wbs[device].estimate_due.is_some_and(|due| due <= self.jiffies()) {
            let due = self.wbs[device].estimate_due.take().unwrap_or_default();
            self.update_bandwidth_at(device, None, due);
        }
    }

    fn update_bandwidth(&mut self, device: usize, limits: Option<&Limits>) {
        self.update_bandwidth_at(device, limits, self.jiffies());
    }

    /// `__wb_update_bandwidth`: the estimate of what a device writes and, for throttled writers, the rate they may dirty at.
    fn update_bandwidth_at(&mut self, device: usize, limits: Option<&Limits>, now: u64) {
        let estimate = self.spec.mechanisms.bandwidth_estimate;
        let wb = &mut self.wbs[device];
        let elapsed = now.saturating_sub(wb.estimated_at).max(1);
        if let Some(limits) = limits {
            update_ratelimit(wb, limits, elapsed);
        }
        if estimate {
            update_write_bandwidth(wb, elapsed);
        }
        wb.dirtied_stamp = wb.dirtied;
        wb.written_stamp = wb.written;
        wb.estimated_at = now.max(wb.estimated_at);
    }
}

/// Pages until the throttle looks again while nobody is throttled (`dirty_poll_interval`).
const fn poll_interval(dirty: u64, thresh: u64) -> u64 {
    if thresh > dirty { 1 << ((thresh - dirty).ilog2() >> 1) } else { 1 }
}

/// `pos_ratio_polynom`, in 1/1024.
fn polynom(setpoint: u64, dirty: u64, limit: u64) -> i64 {
    let x = ((setpoint as i64 - dirty as i64) << ONE_SHIFT) / ((limit as i64 - setpoint as i64) | 1);
    let cubed = (((x * x) >> ONE_SHIFT) * x) >> ONE_SHIFT;
    (cubed + (1 << ONE_SHIFT)).clamp(0, 2 << ONE_SHIFT)
}

/// `wb_position_ratio`, in 1/1024.
fn position_ratio(limits: &Limits, wb: &Wb) -> u64 {
    let Limits { thresh, dirty, limit, wb_dirty, .. } = *limits;
    if dirty >= limit {
        return 0;
    }
    let setpoint = (limits.freerun() + limit) / 2;
    let mut ratio = polynom(setpoint, dirty, limit) as u64;
    let wb_thresh = limits.wb_thresh.min(thresh).max((limit - dirty) / 8);
    let x = (u128::from(wb_thresh) << 16) / u128::from(thresh | 1);
    let wb_setpoint = ((u128::from(setpoint) * x) >> 16) as u64;
    let span = ((u128::from(thresh.saturating_sub(wb_thresh) + 8 * wb.average_bandwidth) * x) >> 16) as u64;
    let intercept = wb_setpoint + span;
    if wb_dirty < intercept - span / 4 {
        ratio = ratio * (intercept - wb_dirty) / ((intercept - wb_setpoint) | 1);
    } else {
        ratio /= 4;
    }
    let reserve = wb_thresh / 2;
    if wb_dirty < reserve {
        if wb_dirty > reserve / 8 {
            ratio = ratio * reserve / wb_dirty;
        } else {
            ratio *= 8;
        }
    }
    ratio
}

/// `wb_update_write_bandwidth`.
fn update_write_bandwidth(wb: &mut Wb, elapsed: u64) {
    const SPAN: u64 = (3 * HZ).next_power_of_two();
    let written = (wb.written - wb.written_stamp) * HZ;
    let old = wb.bandwidth;
    let mut average = wb.average_bandwidth;
    if elapsed > SPAN {
        wb.bandwidth = written / elapsed;
        wb.average_bandwidth = wb.bandwidth.max(1);
        return;
    }
    let bandwidth = (written + old * (SPAN - elapsed)) >> SPAN.ilog2();
    if average > old && old >= bandwidth {
        average -= (average - old) >> 3;
    }
    if average < old && old <= bandwidth {
        average += (old - average) >> 3;
    }
    wb.bandwidth = bandwidth;
    wb.average_bandwidth = average.max(1);
}

/// `wb_update_dirty_ratelimit`.
fn update_ratelimit(wb: &mut Wb, limits: &Limits, elapsed: u64) {
    let setpoint = (limits.freerun() + limits.limit) / 2;
    let dirty_rate = (wb.dirtied - wb.dirtied_stamp) * HZ / elapsed;
    let rate = wb.dirty_ratelimit;
    let task_rate = ((rate * limits.position) >> ONE_SHIFT) + 1;
    let balanced = ((u128::from(task_rate) * u128::from(wb.average_bandwidth) / u128::from(dirty_rate | 1)) as u64)
        .min(wb.average_bandwidth);
    let step = if limits.dirty < setpoint {
        wb.balanced_ratelimit.min(balanced).min(task_rate).saturating_sub(rate)
    } else {
        rate.saturating_sub(wb.balanced_ratelimit.max(balanced).max(task_rate))
    };
    let shift = rate / (2 * step + 1);
    let step = if shift < 64 { (step >> shift).div_ceil(8) } else { 0 };
    wb.dirty_ratelimit = if rate < balanced { rate + step } else { rate.saturating_sub(step) }.max(1);
    wb.balanced_ratelimit = balanced;
}

/// `wb_min_pause`: the shortest pause worth taking, and the pages until the next.
fn min_pause(wb: &Wb, max_pause: u64, task_rate: u64) -> (u64, u64) {
    let rate = wb.dirty_ratelimit;
    let high = wb.average_bandwidth.max(1).ilog2();
    let low = rate.max(1).ilog2();
    let mut time = (HZ / 100).max(1);
    if high > low {
        time += u64::from(high - low) * (10 * HZ) / 1024;
    }
    time = time.min(1 + max_pause / 2);
    let second = HZ.next_power_of_two();
    let mut pages = rate * time / second;
    if pages < POLL {
        time = max_pause;
        pages = rate * time / second;
        if pages > POLL {
            pages = POLL;
            time = HZ * POLL / rate.max(1);
        }
    }
    if HZ * pages / (task_rate + 1) > max_pause {
        time = max_pause;
        pages = task_rate * time / second;
    }
    (if pages >= POLL { 1 + time / 2 } else { time }, pages)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_position_ratio_is_one_at_the_setpoint_and_zero_at_the_limit() {
        assert_eq!(polynom(1000, 1000, 2000), 1024);
        assert!(polynom(1000, 2000, 2000) < 10);
        assert!(polynom(1000, 0, 2000) > 2000);
        let wb = Wb::default();
        let limits = Limits { thresh: 1000, background: 500, dirty: 1000, limit: 1000, ..Limits::default() };
        assert_eq!(position_ratio(&limits, &wb), 0);
    }

    #[test]
    fn the_bandwidth_estimate_follows_what_is_written() {
        let mut wb = Wb::default();
        // 1000 pages a second, in steps of 200 ms, for a minute.
        for _ in 0..300 {
            wb.written_stamp = wb.written;
            wb.written += 200;
            update_write_bandwidth(&mut wb, BANDWIDTH_INTERVAL);
        }
        assert!(wb.average_bandwidth.abs_diff(1000) < 50, "{wb:?}");
    }
}
