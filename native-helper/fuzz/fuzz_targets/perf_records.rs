//! Any bytes as a perf record.
#![no_main]
use libfuzzer_sys::fuzz_target;
use perf_ring::{EventSettings, KernelFrames, Rate, Source, WakeUp, parse_record};

fuzz_target!(|bytes: &[u8]| {
    for kernel in [KernelFrames::Leaf, KernelFrames::Chain] {
        let settings = EventSettings {
            source: Source::CpuClock,
            rate: Rate::Hz(99),
            stack_bytes: 4096,
            kernel,
            wake_up: WakeUp::EverySample,
        };
        let _ = parse_record(&settings, bytes);
    }
});
