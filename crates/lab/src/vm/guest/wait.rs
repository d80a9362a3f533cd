//! Waits for devices.

use std::time::Duration;

/// Looks until `look` finds something, for a minute: devices appear some time after their driver is loaded, long after it where
/// the machine is emulated on a busy host.
pub(super) fn wait_for<T>(mut look: impl FnMut() -> Option<T>) -> Option<T> {
    (0..3000).find_map(|_| {
        let found = look();
        if found.is_none() {
            std::thread::sleep(Duration::from_millis(20));
        }
        found
    })
}
