//! The flight recorder: samples the kernel on a clock and hands the samples to a sink
