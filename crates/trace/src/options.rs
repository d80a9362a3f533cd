//! What is traced, and how.

/// How events are sampled in the kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// By BPF where bpf(2) works, else by filters.
    Auto,
    /// By tracefs filters only.
    Filters,
}

/// What is to be traced.
#[derive(Debug, Clone, Copy)]
pub struct Options {
    /// One page of `2^shift` is sampled.
    pub shift: u32,
    /// How.
    pub method: Method,
}
