//! `make fuzz TARGET=pyramid`: see `pagetide_fuzz::target::pyramid`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| pagetide_fuzz::target::pyramid::run(bytes));
