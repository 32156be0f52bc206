//! The content that goes into a capture comes out again, however it was cut into increments.
#![allow(missing_docs, clippy::unwrap_used, clippy::panic)]

use crate::synthetic;
use std::collections::BTreeMap;

use capture::limits::BEFORE_SAMPLING;
use capture::reader::Capture;
use capture::sample::{FrameKind, FunctionFacts, SampleClass, SampleLabels, SchedulerId, Trust};
use capture::writer::{BUCKET_NS, CaptureWriter};
use proptest::prelude::*;

/// Bucket, labels and stack of a sample in plain text.
type Key = (u64, String, Vec<String>);

fn frame_text(function: &FunctionFacts, line: u32) -> String {
    let FunctionFacts {
        name,
        raw_name,
        kind,
        file,
        head_line,
        object,
    } = function;
    format!("{name}|{raw_name}|{kind:?}|{file}|{head_line}|{object}|{line}")
}

fn labels_text(labels: &SampleLabels) -> String {
    format!(
        "{:?} {:?} {:?} {:?} {:?} {:?} {:?}",
        Some(labels.thread_id).filter(|id| *id != 0),
        Some(labels.thread_name.as_str()).filter(|name| !name.is_empty()),
        labels.scheduler,
        labels.erlang_pid.as_deref(),
        labels.process_name.as_deref(),
        Some(labels.class),
        Some(labels.trust)
    )
}

fn content(capture: &Capture) -> BTreeMap<Key, u64> {
    let mut content = BTreeMap::new();
    for sample in capture.samples() {
        let labels = capture.labels(sample.labels);
        let labels = format!(
            "{:?} {:?} {:?} {:?} {:?} {:?} {:?}",
            labels.thread_id,
            labels.thread_name,
            labels.scheduler,
            labels.erlang_pid,
            labels.process_name,
            labels.class,
            labels.trust
        );
        let frames = capture
            .frames(sample.stack)
            .map(|frame| {
                let view = capture.function(frame.function);
                let facts = FunctionFacts {
                    name: view.name.into(),
                    raw_name: view.raw_name.into(),
                    kind: view.kind,
                    file: view.file.into(),
                    head_line: view.head_line,
                    object: view.object.into(),
                };
                frame_text(&facts, frame.line)
            })
            .collect();
        *content
            .entry((sample.bucket_ms, labels, frames))
            .or_default() += sample.count;
        assert_eq!(sample.value, sample.count * capture.period_ns());
    }
    content
}

fn any_function() -> impl Strategy<Value = FunctionFacts> {
    (
        0usize..7,
        "[a-z'!: ;é]{0,6}",
        "[a-z!]{0,4}",
        "[a-z.]{0,3}",
        0u32..3,
        "[a-z]{0,2}",
    )
        .prop_map(
            |(kind, name, raw_name, file, head_line, object)| FunctionFacts {
                name,
                raw_name,
                kind: FrameKind::ALL[kind],
                file,
                head_line,
                object,
            },
        )
}

fn any_labels() -> impl Strategy<Value = SampleLabels> {
    let scheduler = prop_oneof![
        (1u32..4).prop_map(SchedulerId::Normal),
        (1u32..4).prop_map(SchedulerId::DirtyCpu),
        (1u32..4).prop_map(SchedulerId::DirtyIo),
    ];
    (
        0u32..3,
        "[a-z_0-9]{0,3}",
        proptest::option::of(scheduler),
        proptest::option::of("<0\\.[0-9]\\.0>"),
        proptest::option::of("[a-z]{1,2}"),
        0usize..16,
        0usize..5,
    )
        .prop_map(
            |(thread_id, thread_name, scheduler, erlang_pid, process_name, class, trust)| {
                SampleLabels {
                    thread_id,
                    thread_name,
                    scheduler,
                    erlang_pid,
                    process_name,
                    class: SampleClass::ALL[class],
                    trust: Trust::ALL[trust],
                    off_cpu: None,
                }
            },
        )
}

#[derive(Debug, Clone)]
struct Added {
    time_ns: u64,
    labels: usize,
    frames: Vec<(usize, u32)>,
    count: u64,
    then_increment: bool,
}

fn any_added() -> impl Strategy<Value = Added> {
    (
        0u64..200_000_000,
        any::<prop::sample::Index>(),
        proptest::collection::vec((0usize..8, 0u32..3), 0..6),
        1u64..4,
        proptest::bool::weighted(0.2),
    )
        .prop_map(|(time_ns, labels, frames, count, then_increment)| Added {
            time_ns,
            labels: labels.index(4),
            frames,
            count,
            then_increment,
        })
}

proptest! {
    #[test]
    fn every_sample_comes_back(
        functions in proptest::collection::vec(any_function(), 8),
        labels in proptest::collection::vec(any_labels(), 4),
        added in proptest::collection::vec(any_added(), 0..40),
    ) {
        let mut writer = CaptureWriter::new(synthetic::target(), synthetic::settings());
        let mut expected: BTreeMap<Key, u64> = BTreeMap::new();
        let mut members = Vec::new();
        for sample in &added {
            let stack: Vec<_> = sample.frames.iter().map(|(function, line)| {
                let function = writer.intern_function(&functions[*function]);
                writer.intern_location(function, *line)
            }).collect();
            let labels = &labels[sample.labels];
            writer.add_sample(sample.time_ns, labels, &stack, sample.count);
            let key = (
                sample.time_ns / BUCKET_NS * 20,
                labels_text(labels),
                sample.frames.iter().map(|(f, line)| frame_text(&functions[*f], *line)).collect(),
            );
            *expected.entry(key).or_default() += sample.count;
            if sample.then_increment {
                members.push(writer.take_increment(sample.time_ns, &synthetic::quality(1)));
            }
        }
        members.push(writer.take_increment(7, &synthetic::quality(added.len() as u64)));

        let whole = Capture::from_bytes(&members.concat()).unwrap();
        prop_assert_eq!(&content(&whole), &expected);
        prop_assert!(!whole.truncated());
        prop_assert_eq!(whole.duration_ns(), 7);
        prop_assert_eq!(whole.quality(), Some(synthetic::quality(added.len() as u64)));
        prop_assert_eq!(whole.target(), Some(synthetic::target()));
        prop_assert_eq!(whole.settings(), Some(synthetic::settings()));

        let mut live = Capture::empty();
        for member in &members {
            live.extend(member).unwrap();
        }
        prop_assert_eq!(content(&live), expected);
        prop_assert_eq!(live.stack_count(), whole.stack_count());
    }
}

#[test]
fn increments_drop_what_they_have_handed_out() {
    let mut writer = CaptureWriter::new(synthetic::target(), synthetic::settings());
    let mut random = synthetic::Random(5);
    let stacks = synthetic::stacks(&mut writer, &mut random, 3);
    let labels = synthetic::labels(&mut random);
    for stack in &stacks {
        for time_ns in [0, 1, 19_999_999, 20_000_000] {
            writer.add_sample(time_ns, &labels, stack, 1);
        }
    }
    assert_eq!(
        writer.pending_samples(),
        6,
        "merged within a bucket, apart across buckets"
    );
    writer.take_increment(1, &synthetic::quality(12));
    assert_eq!(writer.pending_samples(), 0);
    let second = writer.take_increment(2, &synthetic::quality(12));
    let message = {
        use std::io::Read;
        let mut message = Vec::new();
        flate2::read::GzDecoder::new(&second[..])
            .read_to_end(&mut message)
            .unwrap();
        message
    };
    let profile = <capture::pprof::Profile as prost::Message>::decode(&message[..]).unwrap();
    assert!(profile.sample.is_empty() && profile.function.is_empty());
    assert_eq!((profile.string_table.len(), profile.comment.len()), (1, 1));
}

#[test]
fn old_samples_are_forgotten_and_new_ones_still_find_what_they_are_made_of() {
    let increments = synthetic::increments(7, 4, 50, 20);
    let mut all = Capture::empty();
    let mut kept = Capture::empty();
    for increment in &increments {
        all.extend(increment).unwrap();
        kept.extend(increment).unwrap();
        kept.forget_samples_before(2_000);
    }
    let recent: BTreeMap<Key, u64> = content(&all)
        .into_iter()
        .filter(|((bucket_ms, ..), _)| *bucket_ms >= 2_000)
        .collect();
    assert!(!recent.is_empty() && recent.len() < content(&all).len());
    assert_eq!(content(&kept), recent);
}

#[test]
fn the_time_before_sampling_that_earlier_versions_wrote_as_samples_is_left_out() {
    let mut writer = CaptureWriter::new(synthetic::target(), synthetic::settings());
    let mut random = synthetic::Random(5);
    let stacks = synthetic::stacks(&mut writer, &mut random, 2);
    let labels = synthetic::labels(&mut random);
    let function = writer.intern_function(&FunctionFacts::marker(BEFORE_SAMPLING));
    let marker = writer.intern_location(function, 0);
    writer.add_sample(0, &labels, &[marker], 1_000);
    writer.add_sample(1, &labels, &stacks[0], 2);
    let mut capture = Capture::empty();
    let increment = writer.take_increment(1, &synthetic::quality(2));
    capture.extend(&increment).unwrap();
    assert_eq!(content(&capture).values().sum::<u64>(), 2);
}
