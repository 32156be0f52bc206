//! Any increments in the ring of a flight recorder: those that a writer makes, with any readings, and any bytes in
//! their place. The held bytes are bounded, no more files are written than may be, and an honest recording leaves
//! whole captures.
#![no_main]

use std::path::{Path, PathBuf};
use std::time::Duration;

use arbitrary::Arbitrary;
use capture::end::CaptureEnd;
use capture::facts::{CaptureSettings, TargetFacts};
use capture::file::flight::{FlightPlan, FlightRecorder};
use capture::pprof::NodeReading;
use capture::quality::QualityRecord;
use capture::reader::Capture;
use capture::trigger::Condition;
use capture::writer::{CaptureWriter, increment_of};

const CONDITIONS: [&str; 3] = [
    "mailbox>10",
    "runqueue>=3 and memory<1GB",
    "collections/s>5 or messages>100",
];
/// The order of time is the helper's own; a step is shorter than a day.
const MAX_STEP_MS: u64 = 86_400_000;

#[derive(Debug, Arbitrary)]
struct Plan {
    condition: u8,
    before_s: u16,
    after_s: u16,
    max_files: u8,
    max_held_bytes: u16,
}

#[derive(Debug, Arbitrary)]
enum Step {
    /// As a writer makes it.
    Honest {
        ms: u32,
        readings: Vec<Reading>,
    },
    /// Any message, packed as increments are.
    Message(Vec<u8>),
    Bytes(Vec<u8>),
}

#[derive(Debug, Clone, Copy, Arbitrary)]
struct Reading {
    at_ms: u64,
    run_queue: Option<u8>,
    mailbox: Option<u16>,
    mailbox_pid: Option<u64>,
    memory: Option<u64>,
    collections: Option<u32>,
}

impl From<Reading> for NodeReading {
    fn from(reading: Reading) -> Self {
        Self {
            at_ms: reading.at_ms,
            run_queue: reading.run_queue.map(u64::from),
            processes: Some(7),
            largest_mailbox: reading.mailbox.map(u64::from),
            largest_mailbox_pid: reading.mailbox_pid,
            waiting_messages: reading.mailbox.map(u64::from),
            memory_bytes: reading.memory,
            collections: reading.collections.map(u64::from),
            ..Self::default()
        }
    }
}

/// Files of one input, gone after it.
struct Folder(PathBuf);

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

libfuzzer_sys::fuzz_target!(|input: (Plan, Vec<Step>)| {
    let (plan, steps) = input;
    let place = format!("extrospect-flight-{}", std::process::id());
    // In memory where there is such a folder: files are written through to a disk, which would take nearly all of the time.
    let memory = Path::new("/dev/shm");
    let among = match memory.is_dir() {
        true => memory.to_owned(),
        false => std::env::temp_dir(),
    };
    let folder = Folder(among.join(place));
    std::fs::create_dir_all(&folder.0).expect("there is room for files");
    let condition = CONDITIONS[usize::from(plan.condition) % CONDITIONS.len()];
    let plan = FlightPlan {
        condition: Condition::parse(condition).expect("a condition"),
        before: Duration::from_secs(plan.before_s.into()),
        after: Duration::from_secs(plan.after_s.into()),
        max_files: plan.max_files.into(),
        max_held_bytes: plan.max_held_bytes.into(),
    };
    let mut recorder =
        FlightRecorder::create(&folder.0.join("fuzz.pb.gz"), plan.clone()).expect("a folder");
    let mut writer = CaptureWriter::new(TargetFacts::default(), CaptureSettings::default());
    let mut elapsed_ms = 0;
    let mut is_honest = true;
    for step in steps {
        if recorder.is_over() {
            break;
        }
        let member = match step {
            Step::Honest { ms, readings } => {
                elapsed_ms += u64::from(ms) % MAX_STEP_MS;
                for reading in readings {
                    writer.add_node_reading(reading.into());
                }
                writer.take_increment(elapsed_ms * 1_000_000, &QualityRecord::default())
            }
            Step::Message(message) => {
                is_honest = false;
                increment_of(&message)
            }
            Step::Bytes(bytes) => {
                is_honest = false;
                bytes
            }
        };
        let added = recorder.add(member);
        assert!(recorder.held_bytes() <= plan.max_held_bytes);
        if added.is_err() {
            assert!(!is_honest, "{added:?}");
            break;
        }
        for file in recorder.take_complete() {
            assert!(!file.found.is_empty());
        }
    }
    let (files, failed) = recorder.finish(CaptureEnd::Stopped);
    assert!(files.len() <= usize::from(u8::MAX) && files.len() <= plan.max_files as usize + 1);
    assert!(!is_honest || failed == 0, "{failed} files were not written");
    for file in files {
        let bytes = std::fs::read(&file.path).expect("the file that was told");
        let capture = Capture::from_bytes(&bytes);
        assert!(!is_honest || capture.is_ok(), "{capture:?}");
    }
});
