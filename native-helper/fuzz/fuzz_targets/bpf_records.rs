//! Any bytes as a record of the capture program.
#![no_main]
use bpf_capture::parse_record;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    for process_bytes in [0, 760, 776] {
        let _ = parse_record(process_bytes, bytes);
    }
});
