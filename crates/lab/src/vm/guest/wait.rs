//! Waits for devices.

use std::time::Duration;

/// Calls `look` until it finds something, for up to a minute. Devices appear some time after their driver is loaded: with emulation on a busy
/// host, a long time.
pub(super) fn wait_for<T>(mut look: impl FnMut() -> Option<T>) -> Option<T> {
    (0..3000).find_map(|_| {
        let found = look();
        if found.is_none() {
            std::thread::sleep(Duration::from_millis(20));
        }
        found
    })
}
