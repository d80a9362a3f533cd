//! `make fuzz TARGET=segment`: see `pagetide_fuzz::target::segment`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| pagetide_fuzz::target::segment::run(bytes));
