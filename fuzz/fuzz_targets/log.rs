//! `make fuzz TARGET=log`: see `pagetide_fuzz::target::log`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| pagetide_fuzz::target::log::run(bytes));
