//! The samples of a profile message. There may be millions, nearly all with a stack and labels
//! seen before: both are looked up by their bytes before anything is decoded.

use std::hash::BuildHasher;

use super::cut_message::keep_going;
use super::known_bytes::KnownBytes;
use super::regular_sample::RegularSample;
use super::runs::PROFILE_SAMPLE;
use super::text::TextId;
use super::types::{TypeColumns, ValueColumns};
use super::{Capture, LabelsIndex, LabelsRow, RawLabel, ReadError, Sample, StackIndex};
use crate::limits::{BEFORE_SAMPLING, MAX_LABELS, MAX_STACK_FRAMES, StackCut};
use crate::sample::{FrameKind, OffCpuWhy, SampleClass, SchedulerId, Trust};
use crate::wire::{Field, Fields, WireError, take_varint};

const SAMPLE_LOCATION: u64 = 1;
const SAMPLE_VALUE: u64 = 2;
const SAMPLE_LABEL: u64 = 3;

/// The stacks and labels of the samples of a file so far.
#[derive(Debug, Default)]
pub(super) struct KnownParts {
    /// With whether it was cut here.
    stacks: KnownBytes<(StackIndex, bool)>,
    /// With the bucket, for samples that have it among other labels.
    labels: KnownBytes<(LabelsIndex, Option<u64>)>,
}

pub(super) struct SampleLoader<'c> {
    capture: &'c mut Capture,
    known: &'c mut KnownParts,
    columns: TypeColumns,
    bucket_key: Option<i64>,
    scratch: Scratch,
}

#[derive(Default)]
struct Scratch {
    unpacked_stack: Vec<u8>,
    /// The stack at hand was too long.
    is_cut: bool,
    locations: Vec<u32>,
    values: Vec<i64>,
    labels: Vec<RawLabel>,
}

impl<'c> SampleLoader<'c> {
    /// `known` belongs to the content that was read into `capture` before.
    pub(super) fn new(capture: &'c mut Capture, known: &'c mut KnownParts) -> Self {
        let columns = capture.take_types();
        Self {
            columns,
            bucket_key: None,
            scratch: Scratch::default(),
            known,
            capture,
        }
    }

    /// Adds all samples among these fields; when there are too many, the earlier ones stay.
    pub(super) fn load<'m>(
        mut self,
        fields: impl Iterator<Item = Field<'m>>,
        cut: bool,
    ) -> Result<(), ReadError> {
        for field in fields {
            if let Field::Bytes(PROFILE_SAMPLE, content) = field {
                let loaded = match RegularSample::of(content) {
                    Some(sample) => self.load_regular(sample),
                    None => self.load_any(content),
                };
                keep_going(loaded, cut)?;
            }
        }
        Ok(())
    }

    fn load_regular(&mut self, sample: RegularSample<'_>) -> Result<(), ReadError> {
        self.scratch.unpacked_stack.clear();
        self.scratch.values.clear();
        self.push_values(sample.values)?;
        let mut bucket_ms = None;
        let mut label_fields = sample.labels;
        if let Some(last) = sample.last_label {
            let last = read_label(last)?;
            if self.is_bucket_key(last[0]) {
                bucket_ms = Some(bucket(last));
                label_fields = sample.labels_but_last;
            }
        }
        let (labels, inner_bucket_ms) = match self.known.labels.get(label_fields) {
            Some(known) => known,
            None => self.add_labels(label_fields)?,
        };
        let stack = self.stack(sample.stack)?;
        let bucket_ms = bucket_ms.or(inner_bucket_ms).unwrap_or(0);
        self.push_sample(bucket_ms, stack, labels)
    }

    /// Labels as fields of a sample, not seen before in these bytes.
    fn add_labels(&mut self, label_fields: &[u8]) -> Result<(LabelsIndex, Option<u64>), ReadError> {
        self.scratch.labels.clear();
        let mut bucket_ms = None;
        let mut fields = Fields::new(label_fields);
        while let Some(field) = fields.next_field().map_err(damaged)? {
            if let Field::Bytes(SAMPLE_LABEL, label) = field {
                bucket_ms = self.take_label(label)?.or(bucket_ms);
            }
        }
        let added = (self.labels()?, bucket_ms);
        self.known.labels.insert(label_fields, added);
        Ok(added)
    }

    /// A sample as few write it: numbers one by one, or labels between other fields.
    fn load_any(&mut self, content: &[u8]) -> Result<(), ReadError> {
        self.scratch.unpacked_stack.clear();
        self.scratch.values.clear();
        self.scratch.labels.clear();
        let mut stack_bytes: &[u8] = &[];
        let mut bucket_ms = None;
        let mut fields = Fields::new(content);
        while let Some(field) = fields.next_field().map_err(damaged)? {
            match field {
                Field::Bytes(SAMPLE_LOCATION, packed) => {
                    if stack_bytes.is_empty() && self.scratch.unpacked_stack.is_empty() {
                        stack_bytes = packed;
                    } else {
                        self.scratch.unpacked_stack.extend_from_slice(packed);
                    }
                }
                Field::Varint(SAMPLE_LOCATION, id) => {
                    crate::wire::put_varint(&mut self.scratch.unpacked_stack, id);
                }
                Field::Bytes(SAMPLE_VALUE, packed) => self.push_values(packed)?,
                Field::Varint(SAMPLE_VALUE, value) => self.push_value(value)?,
                Field::Bytes(SAMPLE_LABEL, label) => {
                    bucket_ms = self.take_label(label)?.or(bucket_ms);
                }
                _ => {}
            }
        }
        let stack = self.stack(stack_bytes)?;
        let labels = self.labels()?;
        self.push_sample(bucket_ms.unwrap_or(0), stack, labels)
    }

    /// The bucket, when the label holds it; else the label is kept.
    fn take_label(&mut self, label: &[u8]) -> Result<Option<u64>, ReadError> {
        let label = read_label(label)?;
        if self.is_bucket_key(label[0]) {
            return Ok(Some(bucket(label)));
        }
        if self.scratch.labels.len() < MAX_LABELS {
            self.scratch.labels.push(label);
        }
        Ok(None)
    }

    fn push_values(&mut self, mut packed: &[u8]) -> Result<(), ReadError> {
        while !packed.is_empty() {
            self.push_value(take_varint(&mut packed).map_err(damaged)?)?;
        }
        Ok(())
    }

    fn push_value(&mut self, value: u64) -> Result<(), ReadError> {
        if self.scratch.values.len() >= self.capture.sample_types.len() {
            return Err(ReadError::Corrupt(
                "a sample has too many values".to_owned(),
            ));
        }
        self.scratch.values.push(value as i64);
        Ok(())
    }

    fn push_sample(
        &mut self,
        bucket_ms: u64,
        stack: StackIndex,
        labels: LabelsIndex,
    ) -> Result<(), ReadError> {
        if bucket_ms == 0 && self.capture.stands_for_time_before(stack) {
            return Ok(());
        }
        let max = self.capture.limits.max_samples;
        ReadError::unless_room(self.capture.rows(), max, "samples")?;
        let value = |column: usize| {
            let missing = || ReadError::Corrupt("a sample lacks its values".to_owned());
            let value = self.scratch.values.get(column).ok_or_else(missing)?;
            u64::try_from(*value).map_err(|_| ReadError::Difference)
        };
        let ValueColumns {
            of,
            count,
            value: stands_for,
            period_ns,
        } = self.columns.of_row(&self.scratch.values);
        let count = value(count)?;
        let stands_for = match stands_for {
            Some(column) => value(column)?,
            None => count.saturating_mul(self.capture.period_ns),
        };
        // The rate may have been lowered during the capture: then a sample counts for as many as
        // there would have been. Else both counts are equal.
        let count = match period_ns {
            Some(period_ns) if count > 0 => {
                (stands_for.saturating_add(period_ns / 2) / period_ns).max(1)
            }
            _ => count,
        };
        if self.scratch.is_cut {
            self.capture.stacks_cut = self.capture.stacks_cut.saturating_add(count);
        }
        if let Some(samples) = self.capture.samples.get_mut(of.as_usize()) {
            samples.push(Sample {
                bucket_ms,
                count,
                value: stands_for,
                stack,
                labels,
            });
        }
        Ok(())
    }

    /// String indices of one key may differ: a string can be in the table twice.
    fn is_bucket_key(&mut self, key: i64) -> bool {
        if self.bucket_key == Some(key) {
            return true;
        }
        let texts = &self.capture.texts;
        let is_bucket = texts.id(key).is_some_and(|id| texts.get(id) == "bucket_ms");
        if is_bucket {
            self.bucket_key = Some(key);
        }
        is_bucket
    }

    fn stack(&mut self, packed: &[u8]) -> Result<StackIndex, ReadError> {
        if !self.scratch.unpacked_stack.is_empty() {
            // Written in several pieces, which is legal but rare.
            let mut bytes = packed.to_vec();
            bytes.extend_from_slice(&self.scratch.unpacked_stack);
            return self.decode_stack(&bytes);
        }
        if let Some((index, is_cut)) = self.known.stacks.get(packed) {
            self.scratch.is_cut = is_cut;
            return Ok(index);
        }
        let index = self.decode_stack(packed)?;
        let known = (index, self.scratch.is_cut);
        self.known.stacks.insert(packed, known);
        Ok(index)
    }

    fn decode_stack(&mut self, mut packed: &[u8]) -> Result<StackIndex, ReadError> {
        let capture = &mut *self.capture;
        self.scratch.is_cut = false;
        self.scratch.locations.clear();
        while !packed.is_empty() {
            let id = take_varint(&mut packed).map_err(damaged)?;
            let missing = ReadError::BadIndex {
                what: "location",
                index: id,
            };
            let location = capture.location_ids.get(id).ok_or(missing)?;
            self.scratch.locations.push(location);
            if self.scratch.locations.len() > 4 * MAX_STACK_FRAMES {
                // Each has a frame or more, so those in the middle are in no case kept.
                self.scratch.is_cut = true;
                let kept = self.scratch.locations.len() - MAX_STACK_FRAMES;
                self.scratch.locations.drain(MAX_STACK_FRAMES..kept);
            }
        }
        let frames = |location: &u32| {
            let row = capture.locations.get(*location as usize);
            row.map_or(0, |row| (row.end_line - row.first_line) as usize)
        };
        let all: usize = self.scratch.locations.iter().map(frames).sum();
        if all > MAX_STACK_FRAMES {
            self.scratch.is_cut = true;
            let StackCut {
                innermost,
                outermost,
            } = StackCut::to(MAX_STACK_FRAMES);
            let locations = &mut self.scratch.locations;
            let first = within(locations.iter().map(frames), innermost);
            let last = within(locations.iter().rev().map(frames), outermost);
            let end = locations.len() - last;
            let marker = capture.too_deep_location();
            locations.splice(first..end, [marker]);
        }
        let locations = &self.scratch.locations[..];
        if let Some(index) = capture.stacks.find(locations) {
            return Ok(index);
        }
        let max = capture.limits.max_stacks;
        ReadError::unless_room(capture.stacks.len(), max, "different stacks")?;
        let max = capture.limits.max_stack_locations;
        if capture.stacks.location_count() + locations.len() > max {
            let what = "locations of different stacks";
            return Err(ReadError::TooMany { what, max });
        }
        Ok(capture.stacks.add(locations))
    }

    fn labels(&mut self) -> Result<LabelsIndex, ReadError> {
        let capture = &mut *self.capture;
        let row = capture.typed_labels(&self.scratch.labels)?;
        let Capture {
            label_ids,
            label_hash,
            label_sets,
            ..
        } = capture;
        let hash = label_hash.hash_one(row);
        let set = |index: &u32| label_sets.get(*index as usize);
        if let Some(&index) = label_ids.find(hash, |index| set(index) == Some(&row)) {
            return Ok(LabelsIndex(index));
        }
        let max = capture.limits.max_label_sets;
        ReadError::unless_room(label_sets.len(), max, "different sets of labels")?;
        let index = label_sets.len() as u32;
        label_ids.insert_unique(hash, index, |index| {
            label_hash.hash_one(set(index).copied().unwrap_or_default())
        });
        label_sets.push(row);
        Ok(LabelsIndex(index))
    }
}

impl Capture {
    /// Whether it is a stack of [`BEFORE_SAMPLING`], all of which are at the start of a capture.
    fn stands_for_time_before(&self, stack: StackIndex) -> bool {
        let mut frames = self.frames(stack);
        let (Some(frame), None) = (frames.next(), frames.next()) else {
            return false;
        };
        let function = self.function(frame.function);
        function.kind == FrameKind::Marker && function.name == BEFORE_SAMPLING
    }

    /// The text that a profile means by an index; empty where it has none.
    pub(super) fn text_at(&self, index: i64) -> &str {
        self.texts.id(index).map_or("", |id| self.texts.get(id))
    }

    fn typed_labels(&self, labels: &[RawLabel]) -> Result<LabelsRow, ReadError> {
        let mut row = LabelsRow::default();
        for &[key, text, number, _] in labels {
            let key = self.texts.get(self.text_id(key)?);
            let text_id = self.text_id(text)?;
            let text = self.texts.get(text_id);
            let shown = (text_id != TextId::EMPTY).then_some(text_id);
            match key {
                "thread" => row.thread_name = shown,
                "tid" => row.thread_id = u32::try_from(number).ok(),
                "scheduler" => row.scheduler = SchedulerId::parse(text),
                "pid" => row.erlang_pid = shown,
                "process" => row.process_name = shown,
                "class" => row.class = SampleClass::parse(text),
                "trust" => row.trust = Trust::parse(text),
                "off_cpu" => row.off_cpu = OffCpuWhy::parse(text),
                _ => {}
            }
        }
        Ok(row)
    }
}

/// How many of these, from the first on, have no more than `max` frames together.
fn within(frames: impl Iterator<Item = usize>, max: usize) -> usize {
    let mut sum = 0;
    frames
        .take_while(|frames| {
            sum += frames;
            sum <= max
        })
        .count()
}

fn read_label(content: &[u8]) -> Result<RawLabel, ReadError> {
    let mut label = [0; 4];
    let mut fields = Fields::new(content);
    while let Some(field) = fields.next_field().map_err(damaged)? {
        if let Field::Varint(number @ 1..=4, value) = field {
            label[number as usize - 1] = value as i64;
        }
    }
    Ok(label)
}

/// Milliseconds after the start.
fn bucket(label: RawLabel) -> u64 {
    u64::try_from(label[2]).unwrap_or(0)
}

fn damaged(_: WireError) -> ReadError {
    ReadError::Corrupt("a sample".to_owned())
}
