//! Each fuzz target with the inputs that are kept of it.
// The files are the targets' own: programs without a `main`, that assert by panicking.
#![allow(
    unused_attributes,
    missing_docs,
    clippy::all,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic
)]

use std::fs;
use std::io::Read as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use flate2::read::GzDecoder;

#[path = "../../../../fuzz/fuzz_targets/beam_file.rs"]
mod beam_file;
#[path = "../../../../fuzz/fuzz_targets/bpf_records.rs"]
mod bpf_records;
#[path = "../../../../fuzz/fuzz_targets/capture_read.rs"]
mod capture_read;
#[path = "../../../../fuzz/fuzz_targets/conditions.rs"]
mod conditions;
#[path = "../../../../fuzz/fuzz_targets/elf_image.rs"]
mod elf_image;
#[path = "../../../../fuzz/fuzz_targets/flight_ring.rs"]
mod flight_ring;
#[path = "../../../../fuzz/fuzz_targets/foreign_profiles.rs"]
mod foreign_profiles;
#[path = "../../../../fuzz/fuzz_targets/link_frames.rs"]
mod link_frames;
#[path = "../../../../fuzz/fuzz_targets/perf_records.rs"]
mod perf_records;
#[path = "../../../../fuzz/fuzz_targets/proc_maps.rs"]
mod proc_maps;
#[path = "../../../../fuzz/fuzz_targets/process_heaps.rs"]
mod process_heaps;
#[path = "../../../../fuzz/fuzz_targets/raw_samples.rs"]
mod raw_samples;
#[path = "../../../../fuzz/fuzz_targets/rpc_frames.rs"]
mod rpc_frames;
#[path = "../../../../fuzz/fuzz_targets/rpc_requests.rs"]
mod rpc_requests;
#[path = "../../../../fuzz/fuzz_targets/vm_tables.rs"]
mod vm_tables;

/// A test for each target.
macro_rules! replayed {
    ($($target:ident),* $(,)?) => {
        const REPLAYED: &[&str] = &[$(stringify!($target)),*];

        mod replay {
            $(
                #[test]
                fn $target() {
                    crate::replay_all(stringify!($target), crate::$target::run);
                }
            )*
        }
    };
}

replayed!(
    beam_file,
    bpf_records,
    capture_read,
    conditions,
    elf_image,
    flight_ring,
    foreign_profiles,
    link_frames,
    perf_records,
    proc_maps,
    process_heaps,
    raw_samples,
    rpc_frames,
    rpc_requests,
    vm_tables
);

fn fuzz() -> PathBuf {
    Path::new(&std::env::var("CARGO_MANIFEST_DIR").unwrap()).join("../../../fuzz")
}

/// The inputs of a target: one after the other, each with its length before it, compressed.
fn kept(target: &str) -> Vec<Vec<u8>> {
    let file = fs::File::open(fuzz().join(format!("kept/{target}.gz"))).unwrap();
    let mut bytes = Vec::new();
    GzDecoder::new(file).read_to_end(&mut bytes).unwrap();
    let mut rest = bytes.as_slice();
    let mut inputs = Vec::new();
    while let Some((length, after)) = rest.split_first_chunk::<4>() {
        let (input, next) = after.split_at(u32::from_le_bytes(*length) as usize);
        inputs.push(input.to_vec());
        rest = next;
    }
    inputs
}

fn replay_all(target: &str, run: fn(&[u8])) {
    let inputs = kept(target);
    assert!(!inputs.is_empty(), "no input is kept");
    for input in &inputs {
        if catch_unwind(AssertUnwindSafe(|| run(input))).is_err() {
            panic!("{target} fails for {input:?}");
        }
    }
    println!("{} inputs", inputs.len());
}

#[test]
fn every_target_is_replayed() {
    let mut targets: Vec<String> = fs::read_dir(fuzz().join("fuzz_targets"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .map(|path| path.file_stem().unwrap().to_string_lossy().into_owned())
        .collect();
    targets.sort();
    assert_eq!(targets, REPLAYED);
}
