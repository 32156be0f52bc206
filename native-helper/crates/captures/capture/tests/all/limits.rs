//! Every reader takes everything that a writer accepts.
#![allow(missing_docs, clippy::unwrap_used, clippy::panic)]

use crate::synthetic::{function, labels_of, night_or_day, quality, settings, target};
use capture::blame::{BlameOptions, blame};
use capture::export;
use capture::facts::{BuildFacts, MAX_BUILD_MODULES};
use capture::file::{CaptureFile, IfExists};
use capture::limits::{
    MAX_COMMENT_BYTES, MAX_INCREMENT_FRAMES, MAX_MEMBER_BYTES, MAX_STACK_FRAMES, SHORT_STACK_FRAMES,
};
use capture::marks::Mark;
use capture::percent_of::PercentOf;
use capture::pprof::NodeReading;
use capture::reader::{Capture, StackIndex};
use capture::rotation::Segments;
use capture::sample::{FrameKind, SampleClass, Trust};
use capture::top::{TopOptions, top};
use capture::writer::{CaptureWriter, LocationId};
use flate2::read::MultiGzDecoder;
use proptest::prelude::*;
use std::io::Read;

const SECOND_NS: u64 = 1_000_000_000;

fn writer() -> CaptureWriter {
    CaptureWriter::new(target(), settings())
}

/// A stack of calls of two functions in turn, with another one at each end.
fn deep(writer: &mut CaptureWriter, frames: usize) -> Vec<LocationId> {
    let mut location = |number| {
        let function = writer.intern_function(&function(number));
        writer.intern_location(function, 7)
    };
    let ends = [location(1), location(2)];
    let middle = [location(3), location(5)];
    let mut stack: Vec<_> = (0..frames).map(|at| middle[at % 2]).collect();
    if let [first, .., last] = &mut stack[..] {
        (*first, *last) = (ends[0], ends[1]);
    }
    stack
}

fn names(capture: &Capture, stack: StackIndex) -> Vec<&str> {
    let frames = capture.frames(stack);
    frames
        .map(|frame| capture.function(frame.function).name)
        .collect()
}

#[test]
fn a_stack_is_whole_or_its_middle_is_marked() {
    for frames in [1, MAX_STACK_FRAMES, MAX_STACK_FRAMES + 1, 17_000, 100_000] {
        let mut writer = writer();
        let stack = deep(&mut writer, frames);
        let labels = labels_of(SampleClass::Erlang, Trust::Captured);
        let cut = writer.add_sample(0, &labels, &stack, 3);
        let too_deep = (frames > MAX_STACK_FRAMES).then_some(Mark::TooDeep);
        assert_eq!(cut, too_deep, "{frames}");
        let is_cut = cut.is_some();
        let member = writer.take_increment(SECOND_NS, &quality(3));
        let capture = Capture::from_bytes(&member).unwrap();
        assert_eq!(capture.total_samples(), 3);
        assert_eq!(
            capture.stacks_cut(),
            0,
            "nothing is left for the reader to cut"
        );
        let found = names(&capture, capture.samples()[0].stack);
        assert_eq!(found.len(), frames.min(MAX_STACK_FRAMES));
        if frames > 1 {
            assert_eq!(found[0], function(1).name);
            assert_eq!(found[found.len() - 1], function(2).name);
        }
        let markers = found
            .iter()
            .filter(|name| **name == Mark::TooDeep.name())
            .count();
        assert_eq!(markers, usize::from(is_cut));
        if is_cut {
            assert_eq!(found[MAX_STACK_FRAMES / 2], Mark::TooDeep.name());
        }
    }
}

/// Of a list comprehension each sample is at another depth.
#[test]
fn an_increment_of_deep_stacks_fits_what_is_read_of_one() {
    let mut writer = writer();
    let stack = deep(&mut writer, MAX_STACK_FRAMES);
    let labels = labels_of(SampleClass::Erlang, Trust::Captured);
    let whole = MAX_INCREMENT_FRAMES / MAX_STACK_FRAMES;
    let samples = whole + night_or_day(whole, 4);
    let mut cut = 0;
    for at in 0..samples {
        // In buckets of their own, so that none is merged.
        let time_ns = at as u64 * capture::writer::BUCKET_NS;
        if let Some(mark) = writer.add_sample(time_ns, &labels, &stack, 1) {
            assert_eq!(mark, Mark::Shortened);
            cut += 1;
        }
    }
    assert_eq!(cut, samples - whole);
    let member = writer.take_increment(SECOND_NS, &quality(samples as u64));
    let mut message = Vec::new();
    MultiGzDecoder::new(&member[..])
        .read_to_end(&mut message)
        .unwrap();
    assert!(message.len() <= MAX_MEMBER_BYTES, "{}", message.len());
    let capture = Capture::from_bytes(&member).unwrap();
    assert_eq!(capture.total_samples(), samples as u64);
    let lengths: Vec<_> = capture
        .stack_indices()
        .map(|stack| names(&capture, stack).len())
        .collect();
    assert!(lengths.contains(&MAX_STACK_FRAMES) && lengths.contains(&SHORT_STACK_FRAMES));
    // The reason is in each: those were not too deep for a capture.
    for stack in capture.stack_indices() {
        let found = names(&capture, stack);
        let is_short = found.len() == SHORT_STACK_FRAMES;
        assert_eq!(found.contains(&Mark::Shortened.name()), is_short);
        assert!(!found.contains(&Mark::TooDeep.name()));
    }
    // The next increment has room again.
    assert_eq!(writer.add_sample(SECOND_NS, &labels, &stack, 1), None);
    assert!(Segments::default().add(&member).is_ok());
}

#[test]
fn the_longest_comment_is_one_that_readers_take() {
    let worst = |number: usize| format!("{number:04}{}", "\u{1}".repeat(1016));
    let build = BuildFacts {
        modules: (0..MAX_BUILD_MODULES)
            .map(|number| (worst(number), "0".repeat(32)))
            .collect(),
        replaced: (0..MAX_BUILD_MODULES).map(worst).collect(),
        ..BuildFacts::default()
    }
    .bounded();
    assert!(!build.modules.is_empty());
    let mut writer = writer();
    writer.set_build(build.clone());
    let capture = Capture::from_bytes(&writer.take_increment(SECOND_NS, &quality(0))).unwrap();
    assert_eq!(capture.build(), Some(build));
    let longest = capture.comments().map(str::len).max().unwrap();
    assert!(longest <= MAX_COMMENT_BYTES, "{longest}");
}

#[derive(Debug, Clone)]
struct Taken {
    frames: usize,
    distinct: u64,
    count: u64,
    bucket: u64,
    name: String,
}

fn taken() -> impl Strategy<Value = Taken> {
    let frames = prop_oneof![
        0..40usize,
        MAX_STACK_FRAMES - 2..MAX_STACK_FRAMES + 3,
        16_000..60_000usize,
    ];
    // Names as a hostile VM may have them.
    let name = prop_oneof![
        ".{0,20}",
        Just("x".repeat(5000)),
        Just("\u{1f9ea}".repeat(300))
    ];
    (frames, any::<u64>(), 1..u64::MAX, 0..1u64 << 40, name).prop_map(
        |(frames, distinct, count, bucket, name)| Taken {
            frames,
            distinct,
            count,
            bucket,
            name,
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(night_or_day(24, 8)))]
    #[test]
    fn whatever_the_writer_accepts_every_reader_takes(
        increments in proptest::collection::vec(proptest::collection::vec(taken(), 0..4), 1..4),
        readings in 0..4u64,
    ) {
        let mut writer = writer();
        let (mut members, mut cut, mut all) = (Vec::new(), 0u64, 0u64);
        for (second, samples) in increments.iter().enumerate() {
            for sample in samples {
                let mut facts = function(sample.distinct % 90);
                facts.name.clone_from(&sample.name);
                facts.raw_name.clone_from(&sample.name);
                let own = writer.intern_function(&facts);
                let own = writer.intern_location(own, sample.distinct as u32);
                let mut stack = deep(&mut writer, sample.frames);
                if let Some(frame) = stack.first_mut() {
                    *frame = own;
                }
                let mut labels = labels_of(SampleClass::Erlang, Trust::Captured);
                labels.process_name = Some(sample.name.clone());
                let is_cut = writer.add_sample(sample.bucket, &labels, &stack, sample.count).is_some();
                cut += u64::from(is_cut);
                all = all.saturating_add(sample.count);
            }
            for number in 0..readings {
                writer.add_node_reading(NodeReading { at_ms: number, processes: Some(3), ..NodeReading::default() });
            }
            members.push(writer.take_increment((second as u64 + 1) * SECOND_NS, &quality(all)));
        }
        let file = members.concat();
        // At once, as it grows, and as it is kept in several files.
        let whole = Capture::from_bytes(&file).unwrap();
        let mut live = Capture::empty();
        let mut segments = Segments::default();
        for member in &members {
            live.extend(member).unwrap();
            let part = segments.add(member).unwrap();
            segments.begin_next();
            let segment = Capture::from_bytes(&part.member).unwrap();
            prop_assert_eq!(segment.stacks_cut(), 0);
        }
        // And as it is rewritten at its end.
        let folder = std::env::temp_dir().join(format!("extrospect-limits-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let path = folder.join("capture.pb.gz");
        let mut written = CaptureFile::create(&path, IfExists::Overwrite).unwrap();
        for member in &members {
            written.append(member).unwrap();
        }
        written.compact().unwrap();
        let compacted = Capture::from_bytes(&std::fs::read(&path).unwrap()).unwrap();
        std::fs::remove_dir_all(&folder).unwrap();
        for capture in [&whole, &live, &compacted] {
            prop_assert!(!capture.truncated());
            prop_assert_eq!(capture.stacks_cut(), 0);
            prop_assert_eq!(capture.samples(), whole.samples());
            let marked = capture.stack_indices().filter(|stack| {
                capture.frames(*stack).any(|frame| capture.function(frame.function).kind == FrameKind::Marker)
            });
            prop_assert_eq!(marked.count() > 0, cut > 0);
        }
        top(&whole, &TopOptions::default());
        blame(&whole, "gc", &BlameOptions::default());
        export::html::write_html(&whole, "x", PercentOf::Busy, std::io::sink()).unwrap();
        export::speedscope::write_speedscope(&whole, "x", std::io::sink()).unwrap();
        export::firefox::write_firefox(&whole, "x", std::io::sink()).unwrap();
        export::folded::write_folded(&whole, export::folded::Places::FileAndLine, std::io::sink()).unwrap();
        prop_assert!(export::otlp::otlp_of_file(&file, Vec::new(), 0).is_ok());
    }
}
