//! The size goal: at most 40 bytes per sample.
#![allow(missing_docs, clippy::unwrap_used, clippy::panic)]

use crate::synthetic;
use capture::file::{CaptureFile, IfExists};

#[test]
fn a_compacted_capture_takes_at_most_40_bytes_per_sample() {
    let (seconds, per_second) = (20, 998);
    let path = std::env::temp_dir().join(format!("capture-size-{}.pb.gz", std::process::id()));
    let mut file = CaptureFile::create(&path, IfExists::Overwrite).unwrap();
    for member in synthetic::increments(11, seconds, per_second, 400) {
        file.append(&member).unwrap();
    }
    let grown = file.len_bytes() as f64 / (seconds * per_second) as f64;
    let compacted = file.compact().unwrap() as f64 / (seconds * per_second) as f64;
    std::fs::remove_file(&path).unwrap();
    println!("bytes per sample: {grown:.1} as increments, {compacted:.1} compacted");
    assert!(compacted <= 40.0, "{compacted} bytes per sample");
}
