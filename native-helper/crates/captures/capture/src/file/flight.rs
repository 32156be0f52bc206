//! A flight recorder: the samples before and after a condition came to hold, one file each time.
//!
//! The increments before that are held in memory as they came; nothing is written while the condition
//! does not hold.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::thread::JoinHandle;
use std::time::Duration;

use super::kept::names::Stem;
use super::{CaptureFile, FileError, IfExists};
use crate::end::CaptureEnd;
use crate::facts::{USER_COMMENT, UserFacts};
use crate::increment::message_of;
use crate::pprof::NodeReading;
use crate::quality::QualityRecord;
use crate::reader::ReadError;
use crate::rotation::Segments;
use crate::trigger::{Condition, Measured, in_words};

/// The limit on the increments held in memory, unless a plan sets another one; a VM that is sampled at a very high
/// rate has less time in them than requested.
pub const MAX_HELD_BYTES: u64 = 64 << 20;
/// Readings without a value that the condition needs, before this is reported.
const READINGS_UNTIL_REPORTED: u32 = 10;
/// The tag of its files.
const TAG: &str = "when";

/// The condition for a file, and the time that it covers.
#[derive(Debug, Clone, PartialEq)]
pub struct FlightPlan {
    /// The condition that starts a file.
    pub condition: Condition,
    /// How much of the time before that.
    pub before: Duration,
    /// How much of the time after that.
    pub after: Duration,
    /// Files; after the last one nothing more is written.
    pub max_files: u32,
    /// Limit on the increments held in memory, bytes.
    pub max_held_bytes: u64,
}

/// A file that was written.
#[derive(Debug, Clone, PartialEq)]
pub struct FlightFile {
    /// Where it is.
    pub path: PathBuf,
    /// Its size.
    pub bytes: u64,
    /// The values that met the condition.
    pub found: Vec<Measured>,
    /// When it begins, seconds after the recording began.
    pub from_s: f64,
    /// The time at which the condition began to hold.
    pub triggered_s: f64,
    /// When it ends.
    pub until_s: f64,
    /// How far it can be trusted.
    pub quality: QualityRecord,
    /// Why it ended.
    pub end: CaptureEnd,
}

/// Events to report.
#[derive(Debug)]
pub enum FlightNews {
    /// The condition came to hold, with these values.
    Triggered(Vec<Measured>),
    /// A file is complete.
    Written(PathBuf),
    /// The file of this trigger could not be written, or not to its end.
    Failed(FileError),
    /// The VM does not report these quantities, so a comparison with one of them never holds.
    Unknown(Vec<&'static str>),
}

/// Holds the latest increments in memory, and writes files.
#[derive(Debug)]
pub struct FlightRecorder {
    plan: FlightPlan,
    stem: Stem,
    next_number: u64,
    /// It has seen all that is no longer held.
    segments: Segments,
    held: VecDeque<Held>,
    held_bytes: u64,
    open: Option<OpenFlight>,
    /// The condition did not hold at the last reading.
    is_armed: bool,
    before: Option<NodeReading>,
    lacking: u32,
    /// The last reading's values of the quantities in the condition.
    measured: Vec<Measured>,
    /// Readings behind the first one, at which no rate has a value.
    readings: u64,
    /// Of these, how many lacked a quantity of the condition.
    without_value: Vec<(&'static str, u64)>,
    written: Vec<FlightFile>,
    /// Of the files that were written, those that were taken.
    taken: usize,
    failed: u32,
    /// Makes the last file smaller, beside sampling.
    compacting: Option<JoinHandle<Option<u64>>>,
}

#[derive(Debug)]
struct Held {
    member: Vec<u8>,
    elapsed_ns: u64,
}

#[derive(Debug)]
struct OpenFlight {
    file: CaptureFile,
    facts: FlightFile,
    until_ns: u64,
}

/// Not each reading has all values: a look at the mailboxes of many processes takes several. The last known
/// value holds until there is a newer one.
fn with_last_levels(reading: NodeReading, before: Option<&NodeReading>) -> NodeReading {
    let Some(before) = before else { return reading };
    NodeReading {
        largest_mailbox: reading.largest_mailbox.or(before.largest_mailbox),
        largest_mailbox_pid: match reading.largest_mailbox {
            Some(_) => reading.largest_mailbox_pid,
            None => before.largest_mailbox_pid,
        },
        waiting_messages: reading.waiting_messages.or(before.waiting_messages),
        memory_bytes: reading.memory_bytes.or(before.memory_bytes),
        ..reading
    }
}

impl FlightRecorder {
    /// Files beside `path`, named after it; those of earlier runs stay.
    ///
    /// # Errors
    /// When the folder cannot be read.
    pub fn create(path: &Path, plan: FlightPlan) -> Result<Self, FileError> {
        let stem = Stem::of(path);
        let failed = |source| FileError::Io {
            action: "read the folder of",
            path: path.to_owned(),
            source,
        };
        let (_, last_number) = stem.earlier().map_err(failed)?;
        Ok(Self {
            plan,
            stem,
            next_number: last_number + 1,
            segments: Segments::default(),
            held: VecDeque::new(),
            held_bytes: 0,
            open: None,
            is_armed: true,
            before: None,
            lacking: 0,
            measured: Vec::new(),
            readings: 0,
            without_value: Vec::new(),
            written: Vec::new(),
            taken: 0,
            failed: 0,
            compacting: None,
        })
    }

    /// Takes an increment.
    ///
    /// # Errors
    /// It is no increment of the capture. A failure to write is no error: later there may be room.
    pub fn add(&mut self, member: Vec<u8>) -> Result<Vec<FlightNews>, ReadError> {
        let message = message_of(&member)?;
        let elapsed_ns = u64::try_from(message.duration_nanos).unwrap_or(0);
        let mut news = Vec::new();
        let triggered = self.evaluate(&message.node_reading, &mut news);
        if self.open.is_some() {
            self.write(&member, elapsed_ns, &mut news)?;
        } else {
            self.hold(member, elapsed_ns)?;
            if let Some((found, at_ms)) = triggered {
                self.begin(found, at_ms, &mut news)?;
            }
        }
        Ok(news)
    }

    /// As many files were written as may be.
    pub fn is_over(&self) -> bool {
        self.open.is_none() && self.written.len() as u32 >= self.plan.max_files
    }

    /// Whether a file is being written.
    pub fn is_writing(&self) -> bool {
        self.open.is_some()
    }

    /// The last reading's values of the quantities in the condition; empty before the first one.
    pub fn measured(&self) -> &[Measured] {
        &self.measured
    }

    /// Readings behind the first one.
    pub fn readings(&self) -> u64 {
        self.readings
    }

    /// Of these, how many did not have a quantity of the condition, by its name; without those that each has.
    pub fn without_value(&self) -> &[(&'static str, u64)] {
        &self.without_value
    }

    /// Bytes of the increments held in memory.
    pub fn held_bytes(&self) -> u64 {
        self.held_bytes
    }

    /// Files that have become complete, each once: they no longer change.
    pub fn take_complete(&mut self) -> Vec<FlightFile> {
        let mut complete = self.written.len();
        match &self.compacting {
            Some(thread) if !thread.is_finished() => complete = complete.saturating_sub(1),
            _ => self.await_compacted(),
        }
        let files = self.written.get(self.taken..complete).unwrap_or_default();
        let files = files.to_vec();
        self.taken += files.len();
        files
    }

    /// Records that sampling ended without a last increment, as [`CaptureFile::end_early`] does, in the file that is
    /// being written.
    pub fn end_early(&mut self) {
        if let Some(open) = &mut self.open {
            // Without it the file has the record of its last increment.
            let _ = open.file.end_early(&mut open.facts.quality);
        }
    }

    /// Completes the open file, which ended for this reason. Returns the files, and how many could not be written.
    pub fn finish(mut self, reason: CaptureEnd) -> (Vec<FlightFile>, u32) {
        self.close(reason, &mut Vec::new());
        self.await_compacted();
        (self.written, self.failed)
    }

    /// The values that met the condition at one of the readings, and when.
    fn evaluate(
        &mut self,
        readings: &[NodeReading],
        news: &mut Vec<FlightNews>,
    ) -> Option<(Vec<Measured>, u64)> {
        let mut triggered = None;
        for reading in readings.iter().filter(|it| it.has_figures()) {
            let condition = &self.plan.condition;
            let reading = with_last_levels(*reading, self.before.as_ref());
            let met = condition.met(&reading, self.before.as_ref());
            let unknown = condition.unknown(&reading, self.before.as_ref());
            self.measured = condition.measured(&reading, self.before.as_ref());
            if self.before.is_some() {
                self.readings += 1;
                for name in &unknown {
                    match self.without_value.iter_mut().find(|(it, _)| it == name) {
                        Some((_, count)) => *count += 1,
                        None => self.without_value.push((*name, 1)),
                    }
                }
            }
            self.before = Some(reading);
            self.lacking = match unknown.is_empty() {
                true => READINGS_UNTIL_REPORTED,
                false => self.lacking.saturating_add(1),
            };
            if self.lacking == READINGS_UNTIL_REPORTED && !unknown.is_empty() {
                news.push(FlightNews::Unknown(unknown));
            }
            match met {
                None => self.is_armed = true,
                Some(found) => {
                    if std::mem::take(&mut self.is_armed) && triggered.is_none() {
                        triggered = Some((found, reading.at_ms));
                    }
                }
            }
        }
        triggered
    }

    fn hold(&mut self, member: Vec<u8>, elapsed_ns: u64) -> Result<(), ReadError> {
        self.held_bytes += member.len() as u64;
        self.held.push_back(Held { member, elapsed_ns });
        let before_ns = self.plan.before.as_nanos() as u64;
        while let Some(oldest) = self.held.front() {
            let is_old = oldest.elapsed_ns.saturating_add(before_ns) < elapsed_ns;
            if !is_old && self.held_bytes <= self.plan.max_held_bytes {
                break;
            }
            let Some(oldest) = self.held.pop_front() else {
                break;
            };
            self.held_bytes -= oldest.member.len() as u64;
            self.segments.skip(&oldest.member)?;
        }
        Ok(())
    }

    /// The note of a file that begins behind all increments that are no longer held.
    fn note(&self, found: &[Measured], triggered_s: f64) -> String {
        let from_s = self.segments.elapsed_ns() as f64 / 1e9;
        format!(
            "recorded when {}: {}, {:.1} s after its beginning",
            self.plan.condition,
            in_words(found),
            (triggered_s - from_s).max(0.0)
        )
    }

    /// Begins a file with all that is held.
    fn begin(
        &mut self,
        found: Vec<Measured>,
        at_ms: u64,
        news: &mut Vec<FlightNews>,
    ) -> Result<(), ReadError> {
        news.push(FlightNews::Triggered(found.clone()));
        let triggered_s = at_ms as f64 / 1000.0;
        let note = self.note(&found, triggered_s);
        let facts = UserFacts {
            note,
            tags: vec![TAG.to_owned()],
            pinned: false,
        };
        // Plain structs of strings always serialize.
        let json = serde_json::to_string(&facts).unwrap_or_default();
        self.segments
            .begin_next_with(vec![format!("{USER_COMMENT}{json}")]);
        let after_ns = self.plan.after.as_nanos() as u64;
        let until_ns = at_ms.saturating_mul(1_000_000).saturating_add(after_ns);
        let mut open = None;
        let mut trouble = None;
        for held in std::mem::take(&mut self.held) {
            let part = self.segments.add(&held.member)?;
            if trouble.is_some() {
                continue;
            }
            if open.is_none() {
                let path = self.stem.numbered(self.next_number, part.began_unix_ns);
                self.next_number += 1;
                match CaptureFile::create(&path, IfExists::Refuse) {
                    Ok(file) => {
                        open = Some(OpenFlight {
                            file,
                            facts: FlightFile {
                                path,
                                bytes: 0,
                                found: found.clone(),
                                from_s: part.began_ns as f64 / 1e9,
                                triggered_s,
                                until_s: 0.0,
                                quality: QualityRecord::default(),
                                end: CaptureEnd::Other,
                            },
                            until_ns,
                        });
                    }
                    Err(error) => {
                        trouble = Some(error);
                        continue;
                    }
                }
            }
            if let Some(open) = &mut open {
                trouble = open.file.append(&part.member).err();
                open.facts.until_s = part.elapsed_ns as f64 / 1e9;
                open.facts.quality = part.quality;
            }
        }
        self.held_bytes = 0;
        self.open = open;
        if let Some(error) = trouble {
            self.fail(error, news);
        }
        Ok(())
    }

    fn write(
        &mut self,
        member: &[u8],
        elapsed_ns: u64,
        news: &mut Vec<FlightNews>,
    ) -> Result<(), ReadError> {
        let part = self.segments.add(member)?;
        let Some(open) = &mut self.open else {
            return Ok(());
        };
        let written = open.file.append(&part.member);
        let is_over = elapsed_ns >= open.until_ns;
        match written {
            Ok(()) => {
                open.facts.until_s = part.elapsed_ns as f64 / 1e9;
                open.facts.quality = part.quality;
                if is_over {
                    self.close(CaptureEnd::Duration, news);
                }
            }
            Err(error) => self.fail(error, news),
        }
        Ok(())
    }

    /// The written part of the file stays: it ends early.
    fn fail(&mut self, error: FileError, news: &mut Vec<FlightNews>) {
        self.failed += 1;
        news.push(FlightNews::Failed(error));
        match self.open.take_if(|open| open.file.len_bytes() == 0) {
            Some(empty) => empty.file.remove_if_empty(),
            None => self.close(CaptureEnd::WriteFailed, news),
        }
    }

    fn close(&mut self, reason: CaptureEnd, news: &mut Vec<FlightNews>) {
        let Some(mut open) = self.open.take() else {
            return;
        };
        self.await_compacted();
        // Without the mark it opens as one that was not closed.
        let _ = open.file.mark_end(reason);
        open.facts.end = open.file.true_end(reason);
        open.facts.bytes = open.file.len_bytes();
        news.push(FlightNews::Written(open.facts.path.clone()));
        self.written.push(open.facts);
        // One that cannot be compacted, or for which there is no thread, is still a capture, only larger.
        let file = open.file;
        let thread = std::thread::Builder::new().name("compact".to_owned());
        self.compacting = thread.spawn(move || file.compact().ok()).ok();
    }

    fn await_compacted(&mut self) {
        let thread = self.compacting.take();
        let compacted = thread.and_then(|it| it.join().ok().flatten());
        if let (Some(bytes), Some(last)) = (compacted, self.written.last_mut()) {
            last.bytes = bytes;
        }
    }
}
