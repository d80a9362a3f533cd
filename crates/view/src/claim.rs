//! How the state of a claim is shown.

use crate::table::Tone;
use pagetide_core::ClaimStatus;

/// The sign, the word and the colour of a claim's state. Without colour, the word still shows it.
pub(crate) const fn sign_word_tone(holds: ClaimStatus) -> (&'static str, &'static str, Tone) {
    match holds {
        ClaimStatus::Holds => ("✓", "holds", Tone::Good),
        ClaimStatus::Fails => ("✗", "fails", Tone::Bad),
        ClaimStatus::Disturbed => ("~", "disturbed", Tone::Strong),
        ClaimStatus::Unknown => ("?", "cannot be computed", Tone::Strong),
    }
}
