//! Any bytes as an ELF object, as its debug file and as notes: errors, or an image that answers
//! for any address, source lines too, and takes no debug file that does not prove to be its own.
#![no_main]

use byte_budget::ByteBudget;
use libfuzzer_sys::fuzz_target;
use native_code::cfi::CfiScratch;
use native_code::debug_file::{DebugProof, has_build_id};
use native_code::debug_link::DebugLink;
use native_code::{BuildId, ObjectImage};

fuzz_target!(|object: &[u8]| {
    let _ = BuildId::from_notes(object);
    if let Some(link) = DebugLink::parse(object) {
        assert!(!link.file_name.contains('/'));
    }
    // Whatever size the bytes state, the bytes held never exceed the budget, and all of it is given
    // back.
    let small = ByteBudget::of(16 << 10);
    if let Ok(_image) = ObjectImage::read_within(object, &small) {
        assert!(small.held_bytes() <= 16 << 10);
    }
    assert_eq!(small.held_bytes(), 0);
    let Ok(mut image) = ObjectImage::read(object) else {
        return;
    };
    // A server's file is compared with the requested build id, and so is any part of it.
    if let Some(build_id) = image.build_id() {
        let small = ByteBudget::of(1 << 20);
        let _ = has_build_id(object, build_id, &small);
        let _ = has_build_id(&object[..object.len() / 2], build_id, &small);
        assert_eq!(small.held_bytes(), 0);
    }
    // Its own bytes have its build id; the first half may be another file.
    let (half, _) = object.split_at(object.len() / 2);
    for file in [object, half] {
        for proof in [DebugProof::BuildId, DebugProof::Checksum] {
            let _ = image.add_debug_file(file, proof, ByteBudget::of_no_target());
        }
    }
    image.add_source_lines(object, ByteBudget::of_no_target());
    let _ = image.build_id_note();
    let _ = image.symbol_counts().count();
    let mut scratch = CfiScratch::new();
    for svma in [0, 0x40, 0x258, 0x1000, 0x1001, 0x4000, u64::MAX] {
        if let Some(function) = image.function_at(svma) {
            assert!(function.start_svma <= svma);
        }
        for frame in image.source_frames_at(svma) {
            assert!(frame.name.len() <= 4096 * 3 && frame.file.len() <= 4096 * 3);
        }
        let _ = image.row_at(&mut scratch, svma);
        let _ = image.bias_of_mapping(svma, svma, true);
    }
});
