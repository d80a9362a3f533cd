//! What an imported log says of its host between its numbers, as a note of the recording.

/// How the note begins that says that the host was started.
pub const LOG_HOST_STARTED: &str = "the host was started";

/// How the note begins that is a comment (`sadc -C`).
pub const LOG_COMMENT: &str = "comment: ";

/// Whether a note is one of these.
pub fn is_log_entry(note: &str) -> bool {
    note.starts_with(LOG_HOST_STARTED) || note.starts_with(LOG_COMMENT)
}
