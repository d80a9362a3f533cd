//! `make fuzz TARGET=scenario`: see `pagetide_fuzz::target::scenario`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| pagetide_fuzz::target::scenario::run(bytes));
