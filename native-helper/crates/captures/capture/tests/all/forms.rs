//! A sample may be written in many ways; all of them mean the same.
#![allow(clippy::unwrap_used, missing_docs)]

use capture::reader::Capture;
use capture::wire::{put_bytes_field, put_varint, put_varint_field};
use proptest::prelude::*;

const TEXTS: [&str; 8] = [
    "",
    "samples",
    "count",
    "class",
    "gc",
    "copy",
    "bucket_ms",
    "scheduler",
];
const CLASS: u64 = 3;
const BUCKET: u64 = 6;

#[derive(Debug, Clone)]
struct Written {
    locations: Vec<u64>,
    count: u64,
    class: u64,
    bucket_ms: u64,
    form: Form,
}

#[derive(Debug, Clone, Copy)]
enum Form {
    /// As we write them: the bucket last.
    Regular,
    BucketFirst,
    LabelsApart,
    NumbersOneByOne,
    StackInTwoPieces,
}

fn label(key: u64, text: u64, number: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    put_varint_field(&mut bytes, 1, key);
    put_varint_field(&mut bytes, 2, text);
    put_varint_field(&mut bytes, 3, number);
    bytes
}

fn packed(numbers: &[u64]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for number in numbers {
        put_varint(&mut bytes, *number);
    }
    bytes
}

fn sample(written: &Written) -> Vec<u8> {
    let mut bytes = Vec::new();
    let stack = packed(&written.locations);
    let value = packed(&[written.count]);
    let class = label(CLASS, written.class, 0);
    let bucket = label(BUCKET, 0, written.bucket_ms);
    let mut put = |number: u64, content: &[u8]| put_bytes_field(&mut bytes, number, content);
    match written.form {
        Form::Regular => {
            for (number, content) in [(1, &stack), (2, &value), (3, &class), (3, &bucket)] {
                put(number, content);
            }
        }
        Form::BucketFirst => {
            for (number, content) in [(3, &bucket), (3, &class), (2, &value), (1, &stack)] {
                put(number, content);
            }
        }
        Form::LabelsApart => {
            for (number, content) in [(3, &class), (1, &stack), (3, &bucket), (2, &value)] {
                put(number, content);
            }
        }
        Form::StackInTwoPieces => {
            let half = written.locations.len() / 2;
            put(1, &packed(&written.locations[..half]));
            put(1, &packed(&written.locations[half..]));
            for (number, content) in [(2, &value), (3, &class), (3, &bucket)] {
                put(number, content);
            }
        }
        Form::NumbersOneByOne => {
            put(3, &class);
            put(3, &bucket);
            for id in &written.locations {
                put_varint_field(&mut bytes, 1, *id);
            }
            put_varint_field(&mut bytes, 2, written.count);
        }
    }
    bytes
}

/// A profile whose samples, functions and strings come in any order.
fn profile(samples: &[Written]) -> Vec<u8> {
    let mut message = Vec::new();
    let (before, after) = samples.split_at(samples.len() / 2);
    for written in before {
        put_bytes_field(&mut message, 2, &sample(written));
    }
    for text in TEXTS {
        put_bytes_field(&mut message, 6, text.as_bytes());
    }
    put_bytes_field(&mut message, 1, &packed(&[1 << 3, 1, 2 << 3, 2]));
    for id in 1..=300 {
        put_bytes_field(&mut message, 4, &packed(&[1 << 3, id, 3 << 3, id * 16]));
    }
    for written in after {
        put_bytes_field(&mut message, 2, &sample(written));
    }
    message
}

fn form() -> impl Strategy<Value = Form> {
    prop_oneof![
        Just(Form::Regular),
        Just(Form::BucketFirst),
        Just(Form::LabelsApart),
        Just(Form::StackInTwoPieces),
        Just(Form::NumbersOneByOne),
    ]
}

fn written() -> impl Strategy<Value = Written> {
    let locations = proptest::collection::vec(1..=300u64, 0..120);
    (locations, 1..1000u64, 4..=5u64, 0..100_000u64, form()).prop_map(
        |(locations, count, class, bucket_ms, form)| Written {
            locations,
            count,
            class,
            bucket_ms,
            form,
        },
    )
}

proptest! {
    #[test]
    fn every_form_is_read_with_its_meaning(samples in proptest::collection::vec(written(), 0..40)) {
        let capture = Capture::from_bytes(&profile(&samples)).unwrap();
        prop_assert_eq!(capture.samples().len(), samples.len());
        for (read, written) in capture.samples().iter().zip(&samples) {
            prop_assert_eq!((read.count, read.bucket_ms), (written.count, written.bucket_ms));
            let names: Vec<_> = capture
                .frames(read.stack)
                .map(|frame| capture.function(frame.function).name.to_owned())
                .collect();
            let wanted: Vec<_> = written.locations.iter().map(|id| format!("{:#x}", id * 16)).collect();
            prop_assert_eq!(names, wanted);
            let class = capture.labels(read.labels).class.map(|class| class.as_str());
            prop_assert_eq!(class, Some(TEXTS[written.class as usize]));
        }
        let mut stacks: Vec<_> = samples.iter().map(|written| &written.locations).collect();
        stacks.sort();
        stacks.dedup();
        prop_assert_eq!(capture.stack_count(), stacks.len(), "a stack is there once, whatever its form");
    }
}
