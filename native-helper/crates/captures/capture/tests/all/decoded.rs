//! A capture that was read and handed over is the same capture.
#![allow(missing_docs, clippy::unwrap_used)]

use capture::reader::{Capture, ReadError};
use proptest::prelude::*;

const FIXTURES: &str = "../../../../test/unit/capture/fixtures";
const FILES: [&str; 4] = [
    "demo.pb.gz",
    "demo-growing.pb.gz",
    "go-cpu.pb.gz",
    "go-heap.pb.gz",
];

fn file(name: &str) -> Vec<u8> {
    std::fs::read(format!("{FIXTURES}/{name}")).unwrap()
}

/// The whole content of a capture, as text.
fn content(capture: &Capture) -> Vec<String> {
    let mut content: Vec<String> = vec![format!("{:?}", capture.samples())];
    content.extend(
        capture
            .function_indices()
            .map(|index| format!("{:?}", capture.function(index))),
    );
    content.extend(
        capture
            .stack_indices()
            .map(|index| format!("{:?}", capture.frames(index).collect::<Vec<_>>())),
    );
    content.extend(
        capture
            .label_set_indices()
            .map(|index| format!("{:?}", capture.labels(index))),
    );
    content.extend(capture.comments().map(str::to_owned));
    content.push(format!("{:?}", capture.node_readings()));
    content.push(format!("{:?}", capture.stays()));
    content.push(format!(
        "{} {} {} {} {} {}",
        capture.period_ns(),
        capture.duration_ns(),
        capture.started_unix_ns(),
        capture.truncated(),
        capture.stacks_cut(),
        capture.unit(),
    ));
    content
}

#[test]
fn captures_of_all_origins_are_the_same_afterwards() {
    for name in FILES {
        let bytes = file(name);
        let read = Capture::from_bytes(&bytes).unwrap();
        let handed_over = Capture::from_decoded(&read.to_decoded()).unwrap();
        assert_eq!(content(&handed_over), content(&read), "{name}");
    }
}

#[test]
fn a_cut_capture_is_cut_afterwards() {
    let bytes = file("demo-growing.pb.gz");
    let read = Capture::from_bytes(&bytes[..bytes.len() * 2 / 3]).unwrap();
    let handed_over = Capture::from_decoded(&read.to_decoded()).unwrap();
    assert!(handed_over.truncated());
    assert_eq!(content(&handed_over), content(&read));
}

#[test]
fn nothing_can_be_added_to_what_was_handed_over() {
    let bytes = file("demo.pb.gz");
    let read = Capture::from_bytes(&bytes).unwrap();
    let mut handed_over = Capture::from_decoded(&read.to_decoded()).unwrap();
    handed_over.extend(&bytes).unwrap();
    assert_eq!(handed_over.samples(), read.samples());
    assert!(handed_over.truncated());
}

#[test]
fn a_part_of_it_is_refused() {
    let decoded = Capture::from_bytes(&file("go-heap.pb.gz"))
        .unwrap()
        .to_decoded();
    for end in 0..decoded.len() {
        let refused = Capture::from_decoded(&decoded[..end]);
        assert!(matches!(refused, Err(ReadError::Corrupt(_))), "{end}");
    }
    let longer = [&decoded[..], &[0]].concat();
    assert!(Capture::from_decoded(&longer).is_err());
}

proptest! {
    #[test]
    fn other_bytes_are_refused_or_make_a_capture_that_answers(
        changes in proptest::collection::vec((any::<proptest::sample::Index>(), any::<u8>()), 1..6)
    ) {
        let mut decoded = Capture::from_bytes(&file("go-heap.pb.gz")).unwrap().to_decoded();
        for (at, byte) in changes {
            let at = at.index(decoded.len());
            decoded[at] = byte;
        }
        if let Ok(capture) = Capture::from_decoded(&decoded) {
            prop_assert!(!content(&capture).is_empty());
        }
    }

    #[test]
    fn garbage_is_refused(bytes in proptest::collection::vec(any::<u8>(), 0..100)) {
        if let Ok(capture) = Capture::from_decoded(&bytes) {
            prop_assert!(capture.samples().len() <= bytes.len());
        }
    }
}
