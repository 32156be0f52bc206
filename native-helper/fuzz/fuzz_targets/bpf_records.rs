//! Any bytes as a record of the eBPF program: refused, or parts that lie within it.
#![no_main]

use bpf_engine::record::{Parsed, parse_record};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    for process_bytes in [0, 760, 776, 1024] {
        match parse_record(process_bytes, bytes) {
            Some(Parsed::Sample(sample)) => {
                let _ = format!("{sample:?}");
            }
            Some(Parsed::CStack(part) | Parsed::Tail(part)) => {
                let _ = format!("{part:?}");
            }
            None => {}
        }
    }
});
