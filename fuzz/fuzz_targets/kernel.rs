//! `make fuzz TARGET=kernel`: see `pagetide_fuzz::target::kernel`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| pagetide_fuzz::target::kernel::run(bytes));
