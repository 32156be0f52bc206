//! Captures that look like real ones, from a seed.
#![allow(dead_code, missing_docs, clippy::unwrap_used)]

use capture::facts::{CaptureSettings, TargetFacts};
use capture::off_cpu::OffCpuQuality;
use capture::pprof::NodeReading;
use capture::quality::QualityRecord;
use capture::reader::Capture;
use capture::sample::{
    FrameKind, FunctionFacts, OffCpuWhy, SampleClass, SampleLabels, SchedulerId, Trust,
};
use capture::sample_types::{OFF_CPU, TypeSet};
use capture::writer::{CaptureWriter, LocationId};

/// How much of a repetition is done: by `npm run nightly`, else by day. See `test/nightly.mjs`.
pub fn night_or_day<T>(night: T, day: T) -> T {
    match std::env::var_os("EXTROSPECT_NIGHTLY") {
        Some(_) => night,
        None => day,
    }
}

pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 11
    }

    pub fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound.max(1)
    }

    /// Small numbers are much more likely, as with hot stacks.
    pub fn skewed(&mut self, bound: u64) -> u64 {
        let unit = self.below(1 << 20) as f64 / f64::from(1 << 20);
        ((unit * unit * unit) * bound as f64) as u64
    }
}

pub fn target() -> TargetFacts {
    TargetFacts {
        pid: 4242,
        otp_release: "25".into(),
        erts_version: "13.1.5".into(),
        flavor: "jit".into(),
        node: "demo@host".into(),
        build_id: "0123456789abcdef".into(),
        host: "host".into(),
        command: "beam.smp -- -root /usr/lib/erlang".into(),
        other_files: false,
    }
}

pub fn settings() -> CaptureSettings {
    CaptureSettings {
        frequency_hz: 499,
        event: "cpu-clock".into(),
        engine: "readv".into(),
        include_kernel: false,
        helper_version: "0.1.0".into(),
        started_unix_ns: 1_700_000_000_000_000_000,
    }
}

pub fn quality(samples: u64) -> QualityRecord {
    QualityRecord {
        samples,
        reloaded: samples / 3,
        event: "cpu-clock".into(),
        ..QualityRecord::default()
    }
}

/// Of a thread that runs no process.
pub fn labels_of(class: SampleClass, trust: Trust) -> SampleLabels {
    SampleLabels {
        thread_id: 7,
        thread_name: "1_scheduler".into(),
        scheduler: None,
        erlang_pid: None,
        process_name: None,
        class,
        trust,
        off_cpu: None,
    }
}

/// Count, labels, and frames leaf first with their lines.
pub type MadeSample = (u64, SampleLabels, Vec<(FunctionFacts, u32)>);

/// A capture made by hand.
pub fn capture_of(samples: Vec<MadeSample>) -> Capture {
    let mut writer = CaptureWriter::new(target(), settings());
    let mut all = 0;
    for (count, labels, frames) in samples {
        let stack: Vec<_> = frames
            .iter()
            .map(|(facts, line)| {
                let function = writer.intern_function(facts);
                writer.intern_location(function, *line)
            })
            .collect();
        writer.add_sample(0, &labels, &stack, count);
        all += count;
    }
    Capture::from_bytes(&writer.take_increment(1_000_000, &quality(all))).unwrap()
}

pub fn function(number: u64) -> FunctionFacts {
    if number.is_multiple_of(4) {
        return FunctionFacts {
            name: format!("beam.smp!fn@{:#x}", 0x1a2000 + number * 0x130),
            raw_name: format!("beam.smp!fn@{:#x}", 0x1a2000 + number * 0x130),
            kind: FrameKind::Native,
            file: String::new(),
            head_line: 0,
            object: "beam.smp".into(),
        };
    }
    let module = [
        "rabbit_reader",
        "gen_server2",
        "lists",
        "ets",
        "Elixir.Enum",
    ][number as usize % 5];
    FunctionFacts {
        name: format!("{module}:handle_{number}/3"),
        raw_name: format!("{module}:handle_{number}/3"),
        kind: FrameKind::Erlang,
        file: format!("src/{module}.erl"),
        head_line: 10 + number as u32,
        object: "[erlang]".into(),
    }
}

/// Hundreds of stacks of about 30 frames that share their deep ends.
pub fn stacks(
    writer: &mut CaptureWriter,
    random: &mut Random,
    count: usize,
) -> Vec<Vec<LocationId>> {
    let mut stacks: Vec<Vec<LocationId>> = Vec::new();
    while stacks.len() < count {
        let mut root_first: Vec<LocationId> = match stacks.len() {
            0 => Vec::new(),
            known => {
                let other = &stacks[random.below(known as u64) as usize];
                let shared = random.below(other.len() as u64) as usize;
                other.iter().rev().take(shared).copied().collect()
            }
        };
        while root_first.len() < 26 + random.below(9) as usize {
            let function = writer.intern_function(&function(random.skewed(900)));
            root_first.push(writer.intern_location(function, 20 + random.below(60) as u32));
        }
        root_first.reverse();
        stacks.push(root_first);
    }
    stacks
}

pub fn labels(random: &mut Random) -> SampleLabels {
    let scheduler = 1 + random.below(4) as u32;
    let process = random.skewed(300);
    let class = SampleClass::ALL[random.skewed(11) as usize];
    SampleLabels {
        thread_id: 4250 + scheduler,
        thread_name: format!("{scheduler}_scheduler"),
        scheduler: Some(SchedulerId::Normal(scheduler)),
        erlang_pid: Some(format!("<0.{}.0>", 100 + process * 7)),
        process_name: Some(format!("rabbit_queue_{}", process % 40)),
        class,
        trust: Trust::ALL[random.skewed(3) as usize],
        off_cpu: None,
    }
}

/// The increments of a capture of `seconds` seconds at `per_second` samples a second.
pub fn increments(seed: u64, seconds: u64, per_second: u64, stack_count: usize) -> Vec<Vec<u8>> {
    let mut random = Random(seed | 1);
    let mut writer = CaptureWriter::new(target(), settings());
    let stacks = stacks(&mut writer, &mut random, stack_count);
    let mut increments = Vec::new();
    for second in 0..seconds {
        for number in 0..per_second {
            let time_ns = second * 1_000_000_000 + number * 1_000_000_000 / per_second;
            let chosen = random.skewed(stacks.len() as u64);
            let stack = &stacks[chosen as usize];
            // A stack belongs to few processes, so labels go with it.
            let mut of_stack = Random(chosen * 977 + random.below(3) + 1);
            writer.add_sample(time_ns, &labels(&mut of_stack), stack, 1);
        }
        let now_ns = (second + 1) * 1_000_000_000;
        increments.push(writer.take_increment(now_ns, &quality((second + 1) * per_second)));
    }
    increments
}

/// Nanoseconds of [`of_two_types`] without a processor in a second.
pub fn blocked_ns(second: u64) -> u64 {
    1_000 + second
}

/// An increment each second with one sample of processor time, a part of one block that lasts from the first second to
/// the last, and a reading of this mailbox.
pub fn of_two_types(mailboxes: &[u64]) -> Vec<Vec<u8>> {
    let types = TypeSet::CPU.with(&OFF_CPU);
    let off_cpu = types.index(&OFF_CPU).unwrap();
    let mut writer = CaptureWriter::new(target(), settings());
    writer.set_types(types);
    let labels = labels_of(SampleClass::Nif, Trust::Captured);
    let blocked = SampleLabels {
        off_cpu: Some(OffCpuWhy::Blocked),
        ..labels.clone()
    };
    let known = writer.intern_function(&function(1));
    let stack = [writer.intern_location(known, 7)];
    let seconds = (0_u64..).zip(mailboxes);
    let increments = seconds.map(|(second, mailbox)| {
        let (at_ns, count) = (second * 1_000_000_000 + 1, u64::from(second == 0));
        writer.add_sample(at_ns, &labels, &stack, 1);
        writer.add_weighted(off_cpu, at_ns, &blocked, &stack, count, blocked_ns(second));
        writer.add_node_reading(NodeReading {
            at_ms: second * 1000 + 500,
            run_queue: Some(0),
            largest_mailbox: Some(*mailbox),
            largest_mailbox_pid: Some(83),
            ..NodeReading::default()
        });
        let quality = QualityRecord {
            off_cpu: Some(OffCpuQuality {
                blocks: 1,
                blocked_ms: second + 1,
                in_progress: 1,
                ..OffCpuQuality::default()
            }),
            ..quality(second + 1)
        };
        writer.take_increment((second + 1) * 1_000_000_000, &quality)
    });
    increments.collect()
}

/// Names of the types of a capture, and the sums of counts and of values by type.
pub fn sums_by_type(capture: &Capture) -> Vec<(String, u64, u64)> {
    let types = TypeSet::CPU.with(&OFF_CPU);
    let sums = capture.counted_types().zip(types.iter());
    let sums = sums.map(|(counted, of)| {
        let samples = capture.samples_of(&of);
        let counts: u64 = samples.iter().map(|it| it.count).sum();
        let values: u64 = samples.iter().map(|it| it.value).sum();
        (counted.name, counts, values)
    });
    sums.collect()
}
