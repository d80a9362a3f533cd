//! `make fuzz TARGET=cut`: see `pagetide_fuzz::target::cut`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| pagetide_fuzz::target::cut::run(bytes));
