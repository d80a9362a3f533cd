//! What happens when requests end, and who is woken by it.

use crate::devices::device::IoKind;
use crate::devices::queue::{Payload, Request};
use crate::host::Host;
use crate::page::{PageId, flag};

impl Host {
    /// Sends the requests that an operation has made.
    pub(crate) fn send_plug(&mut self) {
        if self.plug.is_empty() {
            return;
        }
        let mut requests = self.plug.take();
        for (device, request) in requests.drain(..) {
            self.spend(self.spec.costs.submit);
            self.send(device, request);
        }
        self.plug.reuse(requests);
    }

    /// Sends a request to its device, or lets it wait where a limit of its group holds it up (`submit_bio_noacct`).
    pub(crate) fn send(&mut self, device: usize, request: Request) {
        if self.throttles.is_empty() {
            self.queues[device].add(self.now, request);
            return;
        }
        let path: Vec<usize> = self.ancestors(request.group).collect();
        if let Some(request) = self.throttles.pass(&path, device, request, self.now) {
            self.queues[device].add(self.now, request);
        }
    }

    /// Sends what has waited long enough for the limits of its group.
    fn send_throttled(&mut self) {
        while let Some((device, group, request)) = self.throttles.next(self.now) {
            let above: Vec<usize> = self.ancestors(group).skip(1).collect();
            if let Some(request) = self.throttles.pass(&above, device, request, self.now) {
                // It becomes a request of the device now (`rq->start_time_ns`).
                self.queues[device].add(self.now, Request { since: self.now, ..request });
            }
        }
    }

    /// When a device, a limit or a journal has something to do next.
    pub(crate) fn next_device_event(&self) -> Option<u64> {
        let devices = self.queues.iter().filter_map(crate::devices::queue::Queue::next_event);
        let journals = self.journals.iter().filter_map(crate::devices::journal::Journal::due);
        devices.chain(journals).chain(self.throttles.next_event()).min()
    }

    /// Goes on with all devices to now.
    pub(crate) fn advance_devices(&mut self) {
        self.send_throttled();
        for device in 0..self.queues.len() {
            if self.queues[device].next_event().is_none_or(|at| at > self.now) {
                continue;
            }
            let mut ended = std::mem::take(&mut self.ended);
            self.queues[device].advance(self.now, &mut ended);
            for request in ended.drain(..) {
                self.complete(device, request);
            }
            self.ended = ended;
            let room = &mut self.room_waiters;
            for at in (0..room.len()).rev() {
                if room[at].0 == device {
                    self.woken.push(room.swap_remove(at).1);
                }
            }
        }
        for device in 0..self.journals.len() {
            self.commit_if_due(device);
        }
    }

    fn complete(&mut self, device: usize, request: Request) {
        let kib = request.length / 1024;
        match request.kind {
            IoKind::Read => self.events.pgpgin += kib,
            IoKind::Write => self.events.pgpgout += kib,
            IoKind::Flush => {}
        }
        match request.payload {
            Payload::Pages(first, count) => {
                for page in first..first + count {
                    if request.kind == IoKind::Read {
                        self.end_read(page);
                    } else {
                        self.end_writeback(page);
                    }
                }
            }
            Payload::Scattered(pages) => {
                for page in pages {
                    if request.kind == IoKind::Read {
                        self.end_read(page);
                    } else {
                        self.swap_written(page);
                    }
                }
            }
            Payload::Direct { task, tag } => {
                let of = &mut self.tasks[task as usize];
                of.in_flight -= 1;
                of.reaped.push_back(tag);
                self.woken.push(task);
            }
            Payload::Flush { task } => self.synced(task),
            Payload::Journal(_) => self.commit_on(device),
        }
    }

    /// One of the flushes or commits that a task waits for has ended.
    pub(crate) fn synced(&mut self, task: u32) {
        let of = &mut self.tasks[task as usize];
        of.flushes = of.flushes.saturating_sub(1);
        self.woken.push(task);
    }

    fn end_read(&mut self, page: PageId) {
        self.words[page as usize].clear(flag::LOCKED);
        self.wake_page(page);
    }

    /// Wakes the tasks that wait for a page.
    pub(crate) fn wake_page(&mut self, page: PageId) {
        let woken = &mut self.woken;
        self.page_waiters.retain(|(awaited, task)| {
            let wakes = *awaited == page;
            if wakes {
                woken.push(*task);
            }
            !wakes
        });
    }

    /// Wakes the tasks that wait for all writes of a mapping.
    pub(crate) fn wake_mapping(&mut self, mapping: usize) {
        for at in (0..self.mapping_waiters.len()).rev() {
            if self.mapping_waiters[at].0 == mapping {
                let (_, task) = self.mapping_waiters.swap_remove(at);
                self.woken.push(task);
            }
        }
    }
}
