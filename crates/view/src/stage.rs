//! A thing in the causal chain, with every number worked out.

/// A thing in the chain.
#[derive(Debug, Clone, PartialEq)]
pub struct Stage {
    /// What happened.
    pub words: String,
    /// The thing it follows from, by its place in the chain; absent for the cause.
    pub after: Option<usize>,
    /// When it began, as its reader knows the time.
    pub when: String,
    /// How long after its cause it began, and how exactly that is known.
    pub lag: String,
    /// Amounts of its cause and of itself.
    pub amounts: String,
    /// How it follows.
    pub how: String,
    /// The kernel's functions.
    pub kernel: String,
    /// From when to when, ns on the recording's axis.
    pub range: (i64, i64),
    /// The metrics by which it was measured; empty when that is not known.
    pub source: String,
}
