//! Any bytes as `/proc/PID/maps`: an error, or mappings in order.
#![no_main]

use libfuzzer_sys::fuzz_target;
use target_proc::maps::{mapping_at, parse_maps};

fuzz_target!(|text: &[u8]| {
    if let Ok(mappings) = parse_maps(text) {
        assert!(mappings.windows(2).all(|pair| pair[0].end <= pair[1].start));
        for mapping in &mappings {
            assert_eq!(mapping_at(&mappings, mapping.start), Some(mapping));
        }
    }
});
