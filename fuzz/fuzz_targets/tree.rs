//! `make fuzz TARGET=tree`: see `pagetide_fuzz::target::tree`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| pagetide_fuzz::target::tree::run(bytes));
