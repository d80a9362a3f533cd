//! What an md array does to itself: files below `/sys/block/mdX/md` (`drivers/md/md.c`, Documentation/admin-guide/md.rst).

use crate::text::number;

/// What `sync_action` can say, in the order of its numbers in a recording. What is not here has the number behind the last.
const ACTIONS: [&str; 7] = ["idle", "resync", "recover", "check", "repair", "reshape", "frozen"];

/// The number of an action.
pub fn sync_action(text: &str) -> u64 {
    let text = text.trim_ascii();
    ACTIONS.iter().position(|action| *action == text).unwrap_or(ACTIONS.len()) as u64
}

/// `sync_completed`: sectors done and in all; absent for `none` and `delayed`.
pub fn sync_completed(text: &str) -> Option<(u64, u64)> {
    let (done, all) = text.trim_ascii().split_once(" / ")?;
    Some((number(done)?, number(all)?))
}

/// `sync_speed`, printed in KiB/s, in bytes per second; absent for `none`.
pub fn sync_speed(text: &str) -> Option<u64> {
    number(text.trim_ascii())?.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_array_tells_what_it_does_and_how_far_it_is() {
        assert_eq!((sync_action("idle\n"), sync_action("check\n"), sync_action("frozen\n")), (0, 3, 6));
        assert_eq!(sync_action("something new\n"), 7);
        assert_eq!(sync_completed("4096 / 2095104\n"), Some((4096, 2_095_104)));
        assert_eq!(
            (sync_completed("none\n"), sync_completed("delayed\n"), sync_completed("1 / \n")),
            (None, None, None)
        );
        assert_eq!((sync_speed("1000\n"), sync_speed("none\n")), (Some(1_024_000), None));
    }
}
