//! A capture without an end as segments, each a complete capture that opens by itself.
//!
//! An increment holds only entries that the capture did not have before, so a file that begins in the
//! middle of it could not be read. [`Segments`] takes the increments and hands them out again, each as
//! a part of the segment that is being written: with the functions and lines that the segment has not
//! named yet, with its own string table, with times that count from its beginning, and with the
//! quality of the segment alone. Nothing else is changed, and no sample is left out.
//!
//! The memory in use is bounded by the code of the VM, not by time: functions, lines, and of
//! strings those that the writer may still refer to.

mod encoded;
mod known;

use prost::Message;

use crate::facts::{HOST_COMMENT, HostFacts, QUALITY_COMMENT, SETTINGS_COMMENT};
use crate::increment::message_of;
use crate::pprof::{Label, NodeReading, Profile, Sample, Stay};
use crate::quality::QualityRecord;
use crate::reader::ReadError;
use crate::sample_types::CPU;
use crate::writer::{BUCKET_MS, increment_of};
use encoded::Encoded;
use known::Known;

const NS_PER_MS: u64 = 1_000_000;
const US_PER_MS: u64 = 1_000;

/// Turns the increments of a capture into those of segments.
#[derive(Debug, Default)]
pub struct Segments {
    known: Known,
    /// How long the capture had run at the last increment, nanoseconds.
    elapsed_ns: u64,
    /// The quality of the whole capture so far.
    quality: QualityRecord,
    /// `None` before the first increment of a segment.
    open: Option<Open>,
    /// Comments of the next segment in addition to those of the capture about itself.
    comments: Vec<String>,
}

/// The segment that is being written.
#[derive(Debug)]
struct Open {
    encoded: Encoded,
    /// Where in the capture it begins.
    begins_ms: u64,
    /// When it begins, nanoseconds since 1970.
    begins_unix_ns: u64,
    /// How long the capture had run and how good it was by then.
    before: (u64, QualityRecord),
    /// Comments that are not written yet.
    comments: Vec<String>,
}

/// What an increment has beside samples and the tables of these.
struct Beside {
    readings: Vec<NodeReading>,
    stays: Vec<Stay>,
}

/// A part of a segment.
#[derive(Debug)]
pub struct SegmentPart {
    /// A gzip member: all of them, one after the other, are the segment's file.
    pub member: Vec<u8>,
    /// When the segment began, nanoseconds since 1970.
    pub began_unix_ns: u64,
    /// When it began, nanoseconds after the beginning of the capture.
    pub began_ns: u64,
    /// How long the capture has run, nanoseconds.
    pub elapsed_ns: u64,
    /// The quality of the segment so far.
    pub quality: QualityRecord,
}

impl Segments {
    /// How long the capture had run at the last increment, nanoseconds.
    pub fn elapsed_ns(&self) -> u64 {
        self.elapsed_ns
    }

    /// Ends the segment: the next increment begins another one.
    pub fn begin_next(&mut self) {
        self.open = None;
    }

    /// The same, and the next one has these comments, too.
    pub fn begin_next_with(&mut self, comments: Vec<String>) {
        self.open = None;
        self.comments = comments;
    }

    /// Takes an increment that is in no segment: the next one begins behind it.
    ///
    /// # Errors
    /// When it is no increment of the capture.
    pub fn skip(&mut self, member: &[u8]) -> Result<(), ReadError> {
        self.open = None;
        let mut new = message_of(member)?;
        (new.sample, new.node_reading, new.stay) = (Vec::new(), Vec::new(), Vec::new());
        self.know(new)
    }

    fn know(&mut self, new: Profile) -> Result<(), ReadError> {
        let duration_ns = u64::try_from(new.duration_nanos).unwrap_or(0);
        self.known.add(new)?;
        self.elapsed_ns = self.elapsed_ns.max(duration_ns);
        if let Some(quality) = self.known.quality() {
            self.quality = quality;
        }
        Ok(())
    }

    /// Takes an increment (whole gzip members), and hands out its part of the segment.
    ///
    /// # Errors
    /// When it is no increment of the capture.
    pub fn add(&mut self, member: &[u8]) -> Result<SegmentPart, ReadError> {
        let mut new = message_of(member)?;
        let samples = std::mem::take(&mut new.sample);
        let beside = Beside {
            readings: std::mem::take(&mut new.node_reading),
            stays: std::mem::take(&mut new.stay),
        };
        let before = (self.elapsed_ns, self.quality.clone());
        self.know(new)?;
        let begins_ms = self.first_bucket_ms(before.0, &samples)?;
        let began_unix_ns = self
            .known
            .started_unix_ns()
            .saturating_add(begins_ms * NS_PER_MS);
        let open = self.open.get_or_insert_with(|| Open {
            encoded: Encoded::default(),
            begins_ms,
            begins_unix_ns: began_unix_ns,
            before,
            comments: std::mem::take(&mut self.comments),
        });
        let quality = self
            .quality
            .since(&open.before.1, open.before.0, self.elapsed_ns);
        let member = open.part(
            &mut self.known,
            (samples, beside),
            &quality,
            self.elapsed_ns,
        )?;
        Ok(SegmentPart {
            member,
            began_unix_ns: open.begins_unix_ns,
            began_ns: open.begins_ms * NS_PER_MS,
            elapsed_ns: self.elapsed_ns,
            quality,
        })
    }

    /// Where a segment with these samples begins: at the increment before, or with its first sample of processor time,
    /// which may have been taken just before that and named later. A time without a processor is written once it is
    /// long enough, and may have begun long before: it is moved to the begin of the segment.
    fn first_bucket_ms(&mut self, before_ns: u64, samples: &[Sample]) -> Result<u64, ReadError> {
        let mut first = before_ns / NS_PER_MS / BUCKET_MS * BUCKET_MS;
        if self.open.is_some() {
            return Ok(first);
        }
        let types = &self.known.measured().sample_types;
        let column = types.iter().position(|of| *of == CPU.count);
        let is_of_time = |sample: &&Sample| {
            let count = column.and_then(|column| sample.value.get(column));
            count.is_some_and(|count| *count > 0)
        };
        let of_time = samples.iter().filter(is_of_time);
        for label in of_time.flat_map(|sample| &sample.label) {
            if self.known.text(label.key)? == BUCKET {
                first = first.min(u64::try_from(label.num).unwrap_or(0));
            }
        }
        Ok(first)
    }
}

const BUCKET: &str = "bucket_ms";

impl Open {
    fn part(
        &mut self,
        known: &mut Known,
        (samples, beside): (Vec<Sample>, Beside),
        quality: &QualityRecord,
        elapsed_ns: u64,
    ) -> Result<Vec<u8>, ReadError> {
        let length_ns = elapsed_ns.saturating_sub(self.begins_ms * NS_PER_MS);
        let mut profile = Profile {
            duration_nanos: i64::try_from(length_ns).unwrap_or(i64::MAX),
            ..Profile::default()
        };
        let is_first = self.encoded.is_empty();
        if is_first {
            profile.time_nanos = i64::try_from(self.begins_unix_ns).unwrap_or(i64::MAX);
            self.encoded.describe(&mut profile, known);
        }
        for (prefix, json) in known.facts_to_write(is_first) {
            // The settings contain the time when the capture began; the segment has its own
            // beginning.
            let json = match prefix {
                SETTINGS_COMMENT => with_start(&json, self.begins_unix_ns),
                HOST_COMMENT if self.before.0 > 0 => without_load(&json),
                _ => json,
            };
            self.encoded
                .comment(&mut profile, &format!("{prefix}{json}"));
        }
        for comment in std::mem::take(&mut self.comments) {
            self.encoded.comment(&mut profile, &comment);
        }
        // Plain structs of numbers and strings always serialize.
        if let Ok(json) = serde_json::to_string(quality) {
            self.encoded
                .comment(&mut profile, &format!("{QUALITY_COMMENT}{json}"));
        }
        for mut sample in samples {
            for id in &sample.location_id {
                self.encoded.name_place(&mut profile, known, *id)?;
            }
            for label in &mut sample.label {
                *label = self.renamed(known, *label)?;
            }
            profile.sample.push(sample);
        }
        let Beside { readings, stays } = beside;
        profile.node_reading = readings.into_iter().map(|it| self.moved(it)).collect();
        profile.stay = stays
            .into_iter()
            .filter_map(|it| self.part_of(it))
            .collect();
        profile.string_table = self.encoded.take_strings();
        Ok(increment_of(&tables_first(profile)))
    }

    fn moved(&self, reading: NodeReading) -> NodeReading {
        NodeReading {
            at_ms: reading.at_ms.saturating_sub(self.begins_ms),
            ..reading
        }
    }

    /// The part of a stay in the segment, by its clock: it may have begun before.
    fn part_of(&self, stay: Stay) -> Option<Stay> {
        let begins_us = self.begins_ms.saturating_mul(US_PER_MS);
        let before_us = begins_us.saturating_sub(stay.at_us);
        let lasts_us = stay.lasts_us.checked_sub(before_us)?;
        Some(Stay {
            at_us: stay.at_us.saturating_sub(begins_us),
            lasts_us,
            ..stay
        })
    }

    fn renamed(&mut self, known: &mut Known, label: Label) -> Result<Label, ReadError> {
        let key = known.text(label.key)?;
        let mut num = label.num;
        if key == BUCKET {
            num = num.saturating_sub_unsigned(self.begins_ms).max(0);
        }
        let key = self.encoded.string(key);
        let str = self.encoded.string(known.text(label.str)?);
        let num_unit = self.encoded.string(known.text(label.num_unit)?);
        Ok(Label {
            key,
            str,
            num,
            num_unit,
        })
    }
}

/// The samples come last, as the writer has them: neighbours then pack well.
fn tables_first(mut profile: Profile) -> Vec<u8> {
    let samples = Profile {
        sample: std::mem::take(&mut profile.sample),
        ..Profile::default()
    };
    let mut message = profile.encode_to_vec();
    message.extend(samples.encode_to_vec());
    message
}

/// Settings of a capture that began then.
fn with_start(json: &str, began_unix_ns: u64) -> String {
    let settings = named_members::from_slice::<crate::facts::CaptureSettings>(json.as_bytes());
    let moved = settings.ok().and_then(|settings| {
        serde_json::to_string(&crate::facts::CaptureSettings {
            started_unix_ns: began_unix_ns,
            ..settings
        })
        .ok()
    });
    moved.unwrap_or_else(|| json.to_owned())
}

/// The machine of a segment that begins later: its load and busy processes are those of other times.
fn without_load(json: &str) -> String {
    let host = named_members::from_slice::<HostFacts>(json.as_bytes()).ok();
    let machine = host.and_then(|host| {
        let machine = HostFacts {
            load: None,
            busy: Vec::new(),
            ..host
        };
        serde_json::to_string(&machine).ok()
    });
    machine.unwrap_or_else(|| json.to_owned())
}
