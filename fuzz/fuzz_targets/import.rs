//! `make fuzz TARGET=import`: see `pagetide_fuzz::target::import`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| pagetide_fuzz::target::import::run(bytes));
