//! Long collections and calls: they are in the file, stay when that is compacted, handed over or cut into segments, and are
//! bounded in every file.
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing
)]

use crate::synthetic;
use capture::file::{CaptureFile, IfExists};
use capture::limits::{MAX_INCREMENT_STAYS, MAX_STAYS};
use capture::pprof::{Profile, Stay};
use capture::quality::QualityRecord;
use capture::reader::Capture;
use capture::rotation::Segments;
use capture::stays::{StayKind, StayRow, StaysQuality, longest};
use capture::writer::{CaptureWriter, file_of};
use prost::Message;

fn stay(at_ms: u64, lasts_ms: u64) -> Stay {
    Stay {
        at_us: at_ms * 1000,
        lasts_us: lasts_ms * 1000,
        samples: 3,
        kind: StayKind::MajorCollection.number(),
        scheduler: "dirty-cpu 2".to_owned(),
        pid: "<0.123.0>".to_owned(),
        process: "shop".to_owned(),
        function: "shop:build/1".to_owned(),
        line: 12,
        called: String::new(),
    }
}

fn quality(collections: u64) -> QualityRecord {
    QualityRecord {
        stays: Some(StaysQuality {
            period_us: 2004,
            collections,
            collections_ms: collections * 40,
            ..StaysQuality::default()
        }),
        ..synthetic::quality(0)
    }
}

/// Four increments of a second with a stay each, which ends in its second.
fn increments() -> Vec<Vec<u8>> {
    let mut writer = CaptureWriter::new(synthetic::target(), synthetic::settings());
    (1..=4_u64)
        .map(|second| {
            writer.add_stays([stay(second * 1000 - 500, 40)]);
            writer.take_increment(second * 1_000_000_000, &quality(second))
        })
        .collect()
}

fn all() -> Vec<Stay> {
    [500, 1500, 2500, 3500].map(|at_ms| stay(at_ms, 40)).into()
}

#[test]
fn stays_come_back_from_increments_a_compacted_file_and_a_capture_that_is_handed_over() {
    let increments = increments();
    let capture = Capture::from_bytes(&increments.concat()).unwrap();
    assert_eq!(capture.stays(), all());
    let handed_over = Capture::from_decoded(&capture.to_decoded()).unwrap();
    assert_eq!(handed_over.stays(), all());

    let folder = std::env::temp_dir().join(format!("stays-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("capture.pb.gz");
    let mut file = CaptureFile::create(&path, IfExists::Refuse).unwrap();
    for increment in &increments {
        file.append(increment).unwrap();
    }
    file.compact().unwrap();
    let compacted = std::fs::read(&path).unwrap();
    std::fs::remove_dir_all(&folder).unwrap();
    let capture = Capture::from_bytes(&compacted).unwrap();
    assert_eq!(capture.stays(), all());
    assert_eq!(capture.quality().unwrap().stays, quality(4).stays);
}

#[test]
fn a_capture_of_an_older_helper_has_none_and_does_not_state_that_there_were_none() {
    let mut writer = CaptureWriter::new(synthetic::target(), synthetic::settings());
    let file = writer.take_increment(1, &synthetic::quality(0));
    let capture = Capture::from_bytes(&file).unwrap();
    assert!(capture.stays().is_empty());
    assert_eq!(capture.quality().unwrap().stays, None);
}

#[test]
fn a_segment_has_those_of_its_time_by_its_own_clock_and_its_part_of_one_that_began_before() {
    let mut writer = CaptureWriter::new(synthetic::target(), synthetic::settings());
    let first = writer.take_increment(1_000_000_000, &quality(1));
    writer.add_stays([stay(600, 900), stay(1200, 40), stay(100, 50)]);
    let second = writer.take_increment(2_000_000_000, &quality(4));
    let mut segments = Segments::default();
    segments.add(&first).unwrap();
    segments.begin_next();
    let file = segments.add(&second).unwrap().member;
    let segment = Capture::from_bytes(&file).unwrap();
    assert_eq!(segment.stays(), [stay(0, 500), stay(200, 40)]);
    let counts = segment.quality().unwrap().stays.unwrap();
    assert_eq!((counts.collections, counts.collections_ms), (3, 120));
    assert_eq!(counts.period_us, 2004);
}

#[test]
fn samples_that_are_forgotten_take_the_stays_of_their_time_along() {
    let mut capture = Capture::from_bytes(&increments().concat()).unwrap();
    capture.forget_samples_before(2500);
    assert_eq!(capture.stays(), &all()[2..]);
}

#[test]
fn an_increment_has_the_longest_and_a_capture_too() {
    let mut writer = CaptureWriter::new(synthetic::target(), synthetic::settings());
    let lengths = 1..=MAX_INCREMENT_STAYS as u64 + 5;
    let left_out = writer.add_stays(lengths.map(|lasts_ms| stay(1, lasts_ms)));
    assert_eq!(left_out, 5);
    let file = writer.take_increment(1_000_000_000, &quality(40));
    let capture = Capture::from_bytes(&file).unwrap();
    assert_eq!(capture.stays().len(), MAX_INCREMENT_STAYS);
    assert_eq!(capture.stays()[0].lasts_us, 6000);
    let found = longest(capture.stays(), 2);
    let rows: Vec<StayRow<'_>> = found.into_iter().map(StayRow::from).collect();
    let json = serde_json::to_value(&rows).unwrap();
    assert_eq!(json[0]["at_least_ms"], 37.0);
    assert_eq!(json[1]["at_least_ms"], 36.0);
    assert_eq!(json[0]["kind"], "major_collection");
    assert_eq!(json[0]["pid"], "<0.123.0>");
    assert_eq!(json[0]["line"], 12);
    assert_eq!(json[0].get("called"), None);
    let unknown = Stay {
        line: 0,
        ..stay(1, 2)
    };
    let row = serde_json::to_value(StayRow::from(&unknown)).unwrap();
    assert_eq!(row.get("line"), None);
}

fn hostile(stays: impl IntoIterator<Item = Stay>, rest: &[u8]) -> Capture {
    let profile = Profile {
        string_table: vec![String::new()],
        sample_type: vec![Default::default()],
        stay: stays.into_iter().collect(),
        ..Profile::default()
    };
    let mut message = profile.encode_to_vec();
    message.extend_from_slice(rest);
    Capture::from_bytes(&file_of(&message)).unwrap()
}

#[test]
fn what_another_program_has_in_that_field_is_no_stay_and_no_fault() {
    let unknown = Stay {
        kind: 77,
        ..stay(1, 2)
    };
    // Field 1002 with a text, with half a number, and as a number.
    let others = [
        &[0xd2, 0x3e, 2, b'h', b'i'][..],
        &[0xd2, 0x3e, 2, 0x10, 0x80],
        &[0xd0, 0x3e, 9],
    ];
    let capture = hostile([unknown, stay(1, 2)], &others.concat());
    assert_eq!(capture.stays(), [stay(1, 2)]);
}

#[test]
fn a_file_with_any_number_of_stays_keeps_the_longest() {
    let most = MAX_STAYS as u64;
    let capture = hostile((1..=most + 10).map(|lasts_ms| stay(1, lasts_ms)), &[]);
    assert!(capture.stays().len() <= MAX_STAYS);
    let found = longest(capture.stays(), 1);
    assert_eq!(found[0].lasts_us, (most + 10) * 1000);
}

#[test]
fn of_many_as_long_ones_before_longer_ones_the_longer_ones_are_kept() {
    let half = MAX_STAYS / 2;
    let short_first = |of: usize| stay(1, 1 + (of / half % 2) as u64);
    let capture = hostile((0..6 * half).map(short_first), &[]);
    assert!(capture.stays().len() <= MAX_STAYS);
    assert!(capture.stays().iter().all(|stay| stay.lasts_us == 2000));
}
