//! What lost time is called where it is booked.

use crate::actors::io_limit;
use crate::ledger::disk_load::sender;
use crate::ledger::unexplained;
use crate::measure::cgroup_version;
use crate::measure::window::Window;
use pagetide_core::{Account, Booking};

/// What stands before a wait that no cause explains.
pub(crate) const UNEXPLAINED: &str = "unexplained: ";

/// Names what the time of a stretch was lost to.
#[derive(Debug, Clone, Copy)]
pub(super) struct Words<'a> {
    pub(super) during: Window<'a>,
    /// Whose time it is; absent of the host.
    pub(super) group: Option<&'a str>,
    /// The disk for which the group waited.
    pub(super) disk: Option<&'a str>,
}

impl Words<'_> {
    pub(super) fn booking(&self, account: Account, lost_ns: u64) -> Booking {
        let device = matches!(account, Account::Load | Account::Device | Account::OwnWork);
        let disk = self.disk.filter(|_| device);
        let named = disk.unwrap_or("a device");
        let unexplained = account == Account::Unexplained && lost_ns > 0;
        let limit = unexplained.then(|| io_limit::reached(&self.during, self.group)).flatten();
        // The finding has the numbers.
        let limit = limit.map(|limit| limit.owner(cgroup_version::is_v1(self.during.recording)));
        let words = match account {
            Account::ReadAgain => "reading back what was evicted or swapped out, and waiting for reclaim".to_owned(),
            Account::Load => {
                let sender = disk.filter(|_| lost_ns > 0).and_then(|disk| sender(&self.during, disk));
                format!("in the queue of {named}{}", sender.map_or(String::new(), |sender| format!(", {sender}")))
            }
            Account::Device => format!("waiting for {named}, which takes longer per request"),
            Account::Cpu => {
                let user = Some(lost_ns).filter(|lost| *lost > 0).and_then(|_| unexplained::uses_cpus(&self.during));
                format!("waiting for a CPU{}", user.map_or(String::new(), |user| format!(", where {user}")))
            }
            Account::OwnWork => format!("on its own added requests to {named}"),
            Account::Unexplained => limit.as_ref().map_or_else(
                || format!("{UNEXPLAINED}waiting for IO while no device had a request in flight"),
                |limit| format!("waiting for the IO limit ({limit}) while no device had a request in flight"),
            ),
        };
        let on = disk.map(|disk| format!("disk:{disk}")).or_else(|| limit.map(|limit| format!("limit:{limit}")));
        Booking { account, lost_ns, on, by_cause: false, words }
    }
}
