//! A capture of which no increment is taken: its memory is bounded, no sample that had room is lost, and it opens.
#![allow(missing_docs, clippy::unwrap_used)]

use crate::synthetic::{function, labels_of, quality, settings, target};
use capture::pprof::NodeReading;
use capture::quality::{QualityRecord, SamplingGaps};
use capture::reader::Capture;
use capture::sample::{SampleClass, SampleLabels, Trust};
use capture::writer::{BUCKET_NS, Bounds, CaptureWriter, LocationId};
use flate2::read::GzDecoder;
use std::io::Read;

const BOUNDS: Bounds = Bounds {
    increment_bytes: 64 << 10,
    waiting_bytes: 32 << 10,
};

/// Samples of a stack of their own each, as the recording adds them.
struct Sampled {
    writer: CaptureWriter,
    locations: Vec<LocationId>,
    labels: SampleLabels,
    quality: QualityRecord,
    /// The most that waited.
    most_bytes: usize,
}

impl Sampled {
    fn new() -> Self {
        let mut writer = CaptureWriter::new(target(), settings());
        writer.set_bounds(BOUNDS);
        let locations = (0..30).map(|number| {
            let function = writer.intern_function(&function(number));
            writer.intern_location(function, 7)
        });
        Self {
            locations: locations.collect(),
            writer,
            labels: labels_of(SampleClass::Erlang, Trust::Captured),
            quality: quality(0),
            most_bytes: 0,
        }
    }

    fn now_ns(&self) -> u64 {
        (self.quality.samples + self.quality.gaps.unwritten) * BUCKET_NS
    }

    fn sample(&mut self) {
        let now_ns = self.now_ns();
        if self.writer.is_full() {
            self.quality.gaps.unwritten += 1;
            return;
        }
        // The bits of its number choose the frames: no two samples are the same, and they pack badly.
        let number = (self.quality.samples + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let stack: Vec<_> = (0..60)
            .map(|bit| self.locations[(number >> bit) as usize % self.locations.len()])
            .collect();
        self.writer.add_sample(now_ns, &self.labels, &stack, 1);
        self.quality.samples += 1;
        if self.writer.is_due() {
            self.writer.end_increment(now_ns, &self.quality);
        }
        self.most_bytes = self.most_bytes.max(self.writer.waiting_bytes());
    }

    fn take_all(&mut self, file: &mut Vec<u8>) {
        loop {
            let is_last = !self.writer.has_waiting();
            let member = self.writer.take_increment(self.now_ns(), &self.quality);
            let mut message = Vec::new();
            GzDecoder::new(&member[..])
                .read_to_end(&mut message)
                .unwrap();
            assert!(message.len() < 2 * BOUNDS.increment_bytes);
            file.extend(member);
            if is_last {
                return;
            }
        }
    }
}

#[test]
fn what_waits_is_bounded_and_what_had_room_is_in_the_capture() {
    let mut sampled = Sampled::new();
    let mut file = Vec::new();
    sampled.take_all(&mut file);
    // No increment is taken for a long time.
    let mut lost = 0;
    for round in 1..=3 {
        while sampled.quality.gaps.unwritten < lost + 5000 * round {
            sampled.sample();
            sampled.writer.add_node_reading(NodeReading::default());
        }
        lost = sampled.quality.gaps.unwritten;
        let (most, bound) = (
            sampled.most_bytes,
            BOUNDS.waiting_bytes + 2 * BOUNDS.increment_bytes,
        );
        assert!(most < bound, "{most} bytes waited");
        // Then all are, and there is room again.
        sampled.take_all(&mut file);
        assert!(!sampled.writer.is_full() && sampled.writer.waiting_bytes() == 0);
    }
    let kept = sampled.quality.samples;
    sampled.sample();
    assert_eq!(sampled.quality.samples, kept + 1);
    sampled.take_all(&mut file);
    let capture = Capture::from_bytes(&file).unwrap();
    assert_eq!(capture.total_samples(), kept + 1);
    let expected = SamplingGaps {
        unwritten: lost,
        ..SamplingGaps::default()
    };
    assert_eq!(capture.quality().unwrap().gaps, expected);
    assert!(
        capture.node_readings().len() < kept as usize + 10,
        "none of the time without room but the last"
    );
}
