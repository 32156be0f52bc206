//! The VM's figures about itself: they are in the file, stay when that is compacted or cut into segments,
//! and are skipped by readers that do not know them.
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing
)]

use crate::synthetic;
use capture::file::{CaptureFile, IfExists};
use capture::pprof::{NodeReading, Profile};
use capture::reader::Capture;
use capture::rotation::Segments;
use capture::writer::{CaptureWriter, file_of};
use prost::Message;

fn reading(at_ms: u64, waiting: u64) -> NodeReading {
    NodeReading {
        at_ms,
        run_queue: Some(waiting),
        dirty_cpu_run_queue: Some(0),
        dirty_io_run_queue: None,
        memory_bytes: Some(1 << 34),
        largest_mailbox: Some(waiting * 1000),
        largest_mailbox_pid: Some(1 << 28 | 83),
        collections: Some(waiting * 9),
        ..NodeReading::default()
    }
}

/// Four increments of a second with a reading each.
fn increments() -> Vec<Vec<u8>> {
    let mut writer = CaptureWriter::new(synthetic::target(), synthetic::settings());
    (1..=4_u64)
        .map(|second| {
            writer.add_node_reading(reading(second * 1000 - 500, second % 2 * 7));
            writer.take_increment(second * 1_000_000_000, &synthetic::quality(0))
        })
        .collect()
}

fn all() -> Vec<NodeReading> {
    vec![
        reading(500, 7),
        reading(1500, 0),
        reading(2500, 7),
        reading(3500, 0),
    ]
}

#[test]
fn readings_come_back_from_increments_and_from_a_compacted_file() {
    let increments = increments();
    let capture = Capture::from_bytes(&increments.concat()).unwrap();
    assert_eq!(capture.node_readings(), all());
    let cut = &increments.concat()[..increments[0].len() + increments[1].len()];
    assert_eq!(
        Capture::from_bytes(cut).unwrap().node_readings(),
        &all()[..2]
    );

    let folder = std::env::temp_dir().join(format!("node-readings-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("capture.pb.gz");
    let mut file = CaptureFile::create(&path, IfExists::Refuse).unwrap();
    for increment in &increments {
        file.append(increment).unwrap();
    }
    file.compact().unwrap();
    let compacted = std::fs::read(&path).unwrap();
    std::fs::remove_dir_all(&folder).unwrap();
    assert_ne!(compacted, increments.concat());
    assert_eq!(
        Capture::from_bytes(&compacted).unwrap().node_readings(),
        all()
    );
}

#[test]
fn a_segment_has_those_of_its_time_by_its_own_clock() {
    let mut segments = Segments::default();
    let mut files = vec![Vec::new(), Vec::new()];
    for (index, increment) in increments().iter().enumerate() {
        if index == 2 {
            segments.begin_next();
        }
        files[index / 2].extend(segments.add(increment).unwrap().member);
    }
    for file in files {
        let segment = Capture::from_bytes(&file).unwrap();
        assert_eq!(segment.node_readings(), &all()[..2]);
    }
}

#[test]
fn what_another_program_has_in_that_field_is_no_reading_and_no_fault() {
    let mut profile = Profile {
        string_table: vec![String::new()],
        sample_type: vec![Default::default()],
        ..Profile::default()
    };
    profile.node_reading.push(reading(1, 2));
    let mut message = profile.encode_to_vec();
    // Field 1000 with a text, with half a number, and as a number.
    for field in [
        &[0xc2, 0x3e, 2, b'h', b'i'][..],
        &[0xc2, 0x3e, 2, 0x10, 0x80],
        &[0xc0, 0x3e, 9],
    ] {
        message.extend_from_slice(field);
    }
    let capture = Capture::from_bytes(&file_of(&message)).unwrap();
    assert_eq!(capture.node_readings(), [reading(1, 2)]);
}
