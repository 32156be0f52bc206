//! Turns samples into pprof increments. No I/O and no clock: the caller brings both.
//!
//! An increment is one gzip member with one `Profile` message that holds only the entries that are
//! new since the increment before; ids and string indices go on counting. Since protobuf messages
//! concatenate and gzip members do too, any number of increments one after the other is a valid
//! profile.
//!
//! Inside an increment the tables come before the samples, and the samples are sorted by stack
//! (root first), then labels, then time, with the time as the last label: neighbours then differ
//! in their last bytes only, which is what makes deflate pack a sample into a few bytes.

mod pending;
pub(crate) mod strings;
mod waiting;
mod weights;

use std::collections::HashMap;
use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;
use prost::Message;

use self::pending::{Pending, Sum};
use self::strings::StringTable;
pub use self::waiting::Bounds;
use self::waiting::Waiting;
pub use self::weights::Weights;
#[cfg(unix)]
use crate::end::{FILE_END, FileEnd};
use crate::facts::{
    BUILD_COMMENT, BuildFacts, CaptureSettings, HOST_COMMENT, HostFacts, ORIGIN_COMMENT,
    OriginFacts, QUALITY_COMMENT, SETTINGS_COMMENT, TARGET_COMMENT, TargetFacts, WORK_COMMENT,
    WorkFacts,
};
use crate::limits::{
    MAX_COMMENT_BYTES, MAX_INCREMENT_FRAMES, MAX_INCREMENT_STAYS, MAX_STACK_FRAMES,
    SHORT_STACK_FRAMES, StackCut,
};
use crate::marks::Mark;
use crate::pprof::{Function, Line, Location, Mapping, NodeReading, Profile, Stay, ValueType};
use crate::quality::QualityRecord;
use crate::sample::{FunctionFacts, SampleLabels};
use crate::sample_types::{CPU, TypeIndex, TypeSet};
use crate::stays::keep_longest;
#[cfg(unix)]
use crate::wire::put_varint_field;

/// Width of the buckets in which equal samples are merged, nanoseconds.
pub const BUCKET_NS: u64 = 20_000_000;
/// Width of the buckets in which equal samples are merged, milliseconds.
pub const BUCKET_MS: u64 = BUCKET_NS / 1_000_000;

/// Deflate level of increments. A clean end compacts the file with a better one.
const INCREMENT_LEVEL: u32 = 3;
/// Deflate level of a file that is written at once.
const FILE_LEVEL: u32 = 6;

/// A function known to a [`CaptureWriter`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FunctionId(u32);

/// A line of a function known to a [`CaptureWriter`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LocationId(u32);

/// Indices of the fixed strings.
#[derive(Debug, Clone, Copy)]
struct Keys {
    bucket_ms: i64,
    milliseconds: i64,
    thread: i64,
    tid: i64,
    scheduler: i64,
    pid: i64,
    process: i64,
    class: i64,
    trust: i64,
}

/// The entries added since the last increment, apart from samples.
#[derive(Debug, Default)]
struct NewTables {
    mappings: Vec<Mapping>,
    functions: Vec<Function>,
    locations: Vec<Location>,
    node_readings: Vec<NodeReading>,
    stays: Vec<Stay>,
}

/// Collects samples and hands them out as increments.
///
/// It keeps the functions and locations of the whole capture, a bounded number of recent strings, the
/// samples since the last increment, and increments that have ended and wait to be taken. Who adds
/// samples ends an increment that [`is_due`](Self::is_due), and adds none while it
/// [`is_full`](Self::is_full).
#[derive(Debug)]
pub struct CaptureWriter {
    target: TargetFacts,
    settings: CaptureSettings,
    types: TypeSet,
    period_ns: u64,
    keys: Keys,
    strings: StringTable,
    function_ids: HashMap<FunctionFacts, FunctionId>,
    mapping_of_function: Vec<u64>,
    mapping_ids: HashMap<String, u64>,
    location_ids: HashMap<(FunctionId, u32), LocationId>,
    new: NewTables,
    pending: Pending,
    /// Of the samples that were not taken yet.
    pending_frames: usize,
    waiting: Waiting,
    /// The marks of cut stacks that are in the tables.
    cut_marks: HashMap<Mark, LocationId>,
    cut_stack: Vec<LocationId>,
    origin: Option<OriginFacts>,
    build: Option<BuildFacts>,
    host: Option<HostFacts>,
    work: Option<WorkFacts>,
    weights: Weights,
    /// In periods of the requested rate.
    busy_periods: u64,
    /// The same of all samples.
    periods: u64,
    increments_taken: u64,
}

impl CaptureWriter {
    /// A writer for a capture that starts now.
    pub fn new(target: TargetFacts, settings: CaptureSettings) -> Self {
        let mut strings = StringTable::new();
        let keys = Keys {
            bucket_ms: strings.intern("bucket_ms"),
            milliseconds: strings.intern("milliseconds"),
            thread: strings.intern("thread"),
            tid: strings.intern("tid"),
            scheduler: strings.intern("scheduler"),
            pid: strings.intern("pid"),
            process: strings.intern("process"),
            class: strings.intern("class"),
            trust: strings.intern("trust"),
        };
        Self {
            period_ns: 1_000_000_000 / u64::from(settings.frequency_hz.max(1)),
            target,
            settings,
            types: TypeSet::CPU,
            keys,
            strings,
            function_ids: HashMap::new(),
            mapping_of_function: Vec::new(),
            mapping_ids: HashMap::new(),
            location_ids: HashMap::new(),
            new: NewTables::default(),
            pending: Pending::default(),
            pending_frames: 0,
            waiting: Waiting::default(),
            cut_marks: HashMap::new(),
            cut_stack: Vec::new(),
            origin: None,
            build: None,
            host: None,
            work: None,
            weights: Weights::default(),
            busy_periods: 0,
            periods: 0,
            increments_taken: 0,
        }
    }

    /// Sets the types that samples may have, in place of processor time alone. The first increment states them for
    /// the whole capture, so they stay the same behind it.
    pub fn set_types(&mut self, types: TypeSet) {
        if self.increments_taken == 0 {
            self.types = types;
        }
    }

    /// The id of a function, the same one for equal facts.
    pub fn intern_function(&mut self, facts: &FunctionFacts) -> FunctionId {
        if let Some(&id) = self.function_ids.get(facts) {
            return id;
        }
        let mapping = self.intern_mapping(&facts.object);
        self.mapping_of_function.push(mapping);
        let id = FunctionId(self.mapping_of_function.len() as u32);
        let system_name = format!("{}!{}", facts.kind.as_str(), facts.raw_name);
        self.new.functions.push(Function {
            id: u64::from(id.0),
            name: self.strings.intern(&facts.name),
            system_name: self.strings.intern(&system_name),
            filename: self.strings.intern(&facts.file),
            start_line: i64::from(facts.head_line),
        });
        self.function_ids.insert(facts.clone(), id);
        id
    }

    /// The id of a line of a function; 0 stands for an unknown line.
    pub fn intern_location(&mut self, function: FunctionId, line: u32) -> LocationId {
        let next = LocationId(self.location_ids.len() as u32 + 1);
        let id = *self.location_ids.entry((function, line)).or_insert(next);
        if id == next {
            let index = (function.0 as usize).wrapping_sub(1);
            self.new.locations.push(Location {
                id: u64::from(id.0),
                mapping_id: self.mapping_of_function.get(index).copied().unwrap_or(0),
                address: 0,
                line: vec![Line {
                    function_id: u64::from(function.0),
                    line: i64::from(line),
                    column: 0,
                }],
                is_folded: false,
            });
        }
        id
    }

    /// Adds `count` samples of processor time taken `time_ns` after the start of the capture. `stack` is leaf first.
    /// Returns the mark in its middle if it was too long and lost the frames there: see
    /// [`limits`](crate::limits).
    pub fn add_sample(
        &mut self,
        time_ns: u64,
        labels: &SampleLabels,
        stack: &[LocationId],
        count: u64,
    ) -> Option<Mark> {
        let weight = self.weights.at(time_ns);
        let periods = count.saturating_mul(weight.into());
        self.periods = self.periods.saturating_add(periods);
        if labels.class.is_work() {
            self.busy_periods = self.busy_periods.saturating_add(periods);
        }
        let sum = Sum {
            count,
            value: periods.saturating_mul(self.period_ns),
        };
        let bucket = (time_ns / BUCKET_NS, weight);
        self.add(TypeIndex::CPU, bucket, labels, stack, sum)
    }

    /// Adds `count` samples of another type, which stand for `value` together; else like [`Self::add_sample`]. Those of
    /// a type that the capture does not have are left out.
    pub fn add_weighted(
        &mut self,
        of: TypeIndex,
        time_ns: u64,
        labels: &SampleLabels,
        stack: &[LocationId],
        count: u64,
        value: u64,
    ) -> Option<Mark> {
        let bucket = (time_ns / BUCKET_NS, 1);
        self.add(of, bucket, labels, stack, Sum { count, value })
    }

    fn add(
        &mut self,
        of: TypeIndex,
        bucket: (u64, u32),
        labels: &SampleLabels,
        stack: &[LocationId],
        sum: Sum,
    ) -> Option<Mark> {
        if !self.types.has(of) {
            return None;
        }
        let (max, mark) = match self.pending_frames < MAX_INCREMENT_FRAMES {
            true => (MAX_STACK_FRAMES, Mark::TooDeep),
            false => (SHORT_STACK_FRAMES, Mark::Shortened),
        };
        let cut = (stack.len() > max).then_some(mark);
        if cut.is_some() {
            self.cut(stack, max, mark);
        }
        let stack = if cut.is_some() {
            &self.cut_stack
        } else {
            stack
        };
        if self.pending.add(of, bucket, labels, stack, sum) {
            self.pending_frames += stack.len();
        }
        cut
    }

    /// Into `cut_stack`.
    fn cut(&mut self, stack: &[LocationId], max: usize, mark: Mark) {
        let marker = match self.cut_marks.get(&mark) {
            Some(marker) => *marker,
            None => {
                let function = self.intern_function(&FunctionFacts::marker(mark.name()));
                let marker = self.intern_location(function, 0);
                self.cut_marks.insert(mark, marker);
                marker
            }
        };
        let StackCut {
            innermost,
            outermost,
        } = StackCut::to(max);
        self.cut_stack.clear();
        self.cut_stack.extend_from_slice(&stack[..innermost]);
        self.cut_stack.push(marker);
        self.cut_stack
            .extend_from_slice(&stack[stack.len() - outermost..]);
    }

    /// From `time_ns` after the start on, the sampling rate is `weight` times lower than requested,
    /// so each sample stands for that much more processor time.
    pub fn set_weight(&mut self, time_ns: u64, weight: u32) {
        self.weights.set(time_ns, weight);
    }

    /// Processor time of all samples of work so far, nanoseconds.
    pub fn busy_ns(&self) -> u64 {
        self.busy_periods.saturating_mul(self.period_ns)
    }

    /// Processor time of all samples so far, idle ones too, nanoseconds.
    pub fn sampled_ns(&self) -> u64 {
        self.periods.saturating_mul(self.period_ns)
    }

    /// Sets the commit for the next increment, in place of an earlier one.
    pub fn set_origin(&mut self, origin: OriginFacts) {
        self.origin = Some(origin);
    }

    /// Sets the build that the VM runs for the next increment, in place of an earlier one.
    pub fn set_build(&mut self, build: BuildFacts) {
        self.build = Some(build.bounded());
    }

    /// Sets the facts about the machine for the next increment, in place of earlier ones.
    pub fn set_host(&mut self, host: HostFacts) {
        self.host = Some(host);
    }

    /// Sets the work that was done for the next increment, in place of an earlier record.
    pub fn set_work(&mut self, work: WorkFacts) {
        self.work = Some(work);
    }

    /// Adds a reading of the VM. Of those for which there is no room the last one is kept.
    pub fn add_node_reading(&mut self, reading: NodeReading) {
        if self.is_full() {
            self.new.node_readings.clear();
        }
        self.new.node_readings.push(reading);
    }

    /// Adds long collections and calls. Of more than [`MAX_INCREMENT_STAYS`] in an increment the longest are in it;
    /// returns how many are left out for others now.
    pub fn add_stays(&mut self, stays: impl IntoIterator<Item = Stay>) -> u64 {
        self.new.stays.extend(stays);
        keep_longest(&mut self.new.stays, MAX_INCREMENT_STAYS) as u64
    }

    /// All functions so far: the bytes of a capture without samples.
    pub fn functions(&self) -> Vec<u8> {
        let mut writer = Self::new(self.target.clone(), self.settings.clone());
        writer.set_types(self.types);
        for facts in self.function_ids.keys() {
            writer.intern_function(facts);
        }
        writer.take_increment(0, &QualityRecord::default())
    }

    /// Distinct samples (bucket, labels, stack) waiting for the next increment.
    pub fn pending_samples(&self) -> usize {
        self.pending.len()
    }

    /// Sets the limits of the data that waits in memory.
    pub fn set_bounds(&mut self, bounds: Bounds) {
        self.waiting.bounds = bounds;
    }

    /// Whether the increment has the maximum number of samples.
    pub fn is_due(&self) -> bool {
        self.pending.bytes() >= self.waiting.bounds.increment_bytes
    }

    /// Ends the increment: it waits to be taken. Arguments as of [`Self::take_increment`].
    pub fn end_increment(&mut self, now_ns: u64, quality: &QualityRecord) {
        let message = self.take_message(now_ns, quality);
        self.waiting.push(increment_of(&message));
    }

    /// Whether there is no room for samples before an increment was taken.
    pub fn is_full(&self) -> bool {
        self.waiting.is_full()
    }

    /// Whether increments wait that have ended.
    pub fn has_waiting(&self) -> bool {
        !self.waiting.is_empty()
    }

    /// What the capture takes in memory because it was not taken yet, about, bytes.
    pub fn waiting_bytes(&self) -> usize {
        self.waiting.bytes() + self.pending.bytes()
    }

    /// The oldest increment that waits, else everything new since the last call, as one gzip member;
    /// `now_ns` is the length of the capture so far and `quality` describes the capture so far. Valid
    /// even when nothing is new.
    pub fn take_increment(&mut self, now_ns: u64, quality: &QualityRecord) -> Vec<u8> {
        if let Some(member) = self.waiting.pop() {
            return member;
        }
        self.pending_frames = 0;
        let message = self.take_message(now_ns, quality);
        increment_of(&message)
    }

    fn take_message(&mut self, now_ns: u64, quality: &QualityRecord) -> Vec<u8> {
        let mut profile = Profile {
            duration_nanos: clamp_i64(now_ns),
            ..Profile::default()
        };
        if self.increments_taken == 0 {
            self.describe_profile(&mut profile);
        }
        self.increments_taken += 1;
        self.comment(&mut profile, QUALITY_COMMENT, quality);
        if let Some(origin) = self.origin.take() {
            self.comment(&mut profile, ORIGIN_COMMENT, &origin);
        }
        if let Some(build) = self.build.take() {
            self.comment(&mut profile, BUILD_COMMENT, &build);
        }
        if let Some(host) = self.host.take() {
            self.comment(&mut profile, HOST_COMMENT, &host);
        }
        if let Some(work) = self.work.take() {
            self.comment(&mut profile, WORK_COMMENT, &work);
        }
        let samples = self
            .pending
            .take_encoded(&self.keys, &mut self.strings, self.types);
        profile.mapping = std::mem::take(&mut self.new.mappings);
        profile.function = std::mem::take(&mut self.new.functions);
        profile.location = std::mem::take(&mut self.new.locations);
        profile.node_reading = std::mem::take(&mut self.new.node_readings);
        profile.stay = std::mem::take(&mut self.new.stays);
        profile.string_table = self.strings.take_new();
        let mut message = Vec::with_capacity(profile.encoded_len() + samples.len());
        profile.encode_raw(&mut message);
        message.extend_from_slice(&samples);
        message
    }

    fn describe_profile(&mut self, profile: &mut Profile) {
        for [name, unit] in self.types.columns() {
            profile.sample_type.push(ValueType {
                r#type: self.strings.intern(name),
                unit: self.strings.intern(unit),
            });
        }
        if self.types.has(TypeIndex::CPU) {
            let [name, unit] = CPU.value;
            profile.period_type = Some(ValueType {
                r#type: self.strings.intern(name),
                unit: self.strings.intern(unit),
            });
            profile.period = clamp_i64(self.period_ns);
        }
        if let Some(first) = self.types.iter().next() {
            profile.default_sample_type = self.strings.intern(first.value[0]);
        }
        profile.time_nanos = clamp_i64(self.settings.started_unix_ns);
        let (target, settings) = (self.target.clone(), self.settings.clone());
        self.comment(profile, TARGET_COMMENT, &target);
        self.comment(profile, SETTINGS_COMMENT, &settings);
    }

    fn comment<T: serde::Serialize>(&mut self, profile: &mut Profile, prefix: &str, facts: &T) {
        // Plain structs of numbers and strings always serialize.
        if let Ok(json) = serde_json::to_string(facts)
            && prefix.len() + json.len() <= MAX_COMMENT_BYTES
        {
            profile
                .comment
                .push(self.strings.push_unshared(format!("{prefix}{json}")));
        }
    }

    fn intern_mapping(&mut self, object: &str) -> u64 {
        if let Some(&id) = self.mapping_ids.get(object) {
            return id;
        }
        let id = self.mapping_ids.len() as u64 + 1;
        let is_emulator = object.starts_with("beam");
        let build_id = if is_emulator {
            self.strings.intern(&self.target.build_id)
        } else {
            0
        };
        self.new.mappings.push(Mapping {
            id,
            filename: self.strings.intern(object),
            build_id,
            has_functions: true,
            has_filenames: true,
            has_line_numbers: true,
            has_inline_frames: true,
            ..Mapping::default()
        });
        self.mapping_ids.insert(object.to_owned(), id);
        id
    }
}

/// A message as a whole capture file: one gzip member.
pub fn file_of(message: &[u8]) -> Vec<u8> {
    gzipped(message, FILE_LEVEL)
}

/// A message as one increment: packed less well, since there is one each second.
pub fn increment_of(message: &[u8]) -> Vec<u8> {
    gzipped(message, INCREMENT_LEVEL)
}

/// The mark of the end of a file as a gzip member of its own.
#[cfg(unix)]
pub(crate) fn end_mark(end: FileEnd) -> Vec<u8> {
    let mut message = Vec::new();
    put_varint_field(&mut message, FILE_END, end.number());
    increment_of(&message)
}

fn gzipped(message: &[u8], level: u32) -> Vec<u8> {
    let mut encoder = GzEncoder::new(
        Vec::with_capacity(message.len() / 6 + 64),
        Compression::new(level),
    );
    match encoder.write_all(message).and_then(|()| encoder.finish()) {
        Ok(member) => member,
        Err(error) => unreachable!("a Vec takes every byte: {error}"),
    }
}

fn clamp_i64(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}
