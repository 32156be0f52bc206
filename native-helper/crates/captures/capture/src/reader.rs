//! Reads captures, and other pprof profiles, into memory.
//!
//! Every index is checked and every size bounded: a capture file may come from anywhere. Profiles
//! of other tools have neither the labels nor the kinds of Extrospect: their labels are empty,
//! their functions native.

mod cut_message;
mod decoded;
mod error;
mod id_map;
mod inflate;
mod known_bytes;
mod load;
mod parts;
mod regular_sample;
mod runs;
mod samples;
mod stacks;
mod text;
mod types;
mod views;

use std::io::Read;

use hashbrown::{DefaultHashBuilder, HashTable};

use self::id_map::IdMap;
use self::inflate::Members;
use self::samples::KnownParts;
use self::stacks::Stacks;
use self::text::{TextId, Texts};
use crate::end::{FileEnd, MissingEnd};
use crate::facts::{
    BuildFacts, CaptureSettings, HostFacts, ImportFacts, OriginFacts, TargetFacts, UserFacts,
    WaitsFacts, WorkFacts,
};
use crate::kernel_time::KernelTime;
use crate::limits::{
    MAX_CAPTURE_BYTES, MAX_FUNCTIONS, MAX_LABEL_SETS, MAX_LINES, MAX_LOCATIONS, MAX_MAPPINGS,
    MAX_MESSAGE_BYTES, MAX_SAMPLES, MAX_STACK_LOCATIONS, MAX_STACKS, MAX_STRING_BYTES, MAX_STRINGS,
};
use crate::place::Place;
use crate::pprof::{NodeReading, Stay};
use crate::processors::ProcessorLimits;
use crate::quality::{QualityRecord, SamplingGaps};
use crate::sample::{FrameKind, OffCpuWhy, SampleClass, SchedulerId, Trust};
use crate::sample_types::{ALL, Figures, SampleType, TypeIndex};

pub use self::error::ReadError;
pub use self::views::{
    CountedType, Frame, FunctionIndex, FunctionView, LabelsIndex, LabelsView, NoSuchType, Sample,
    StackIndex,
};

/// Bounds on the content that is read; the rest is cut off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReadLimits {
    /// Bytes of the file, and of a message of its decompressed content.
    pub max_bytes: usize,
    /// Bytes of its decompressed content. Messages are read one by one, so this bounds time alone.
    pub max_total_bytes: u64,
    /// Sample records.
    pub max_samples: usize,
    /// Strings.
    pub max_strings: usize,
    /// Bytes of all strings.
    pub max_string_bytes: usize,
    /// Mappings.
    pub max_mappings: usize,
    /// Functions, those of addresses without a name included.
    pub max_functions: usize,
    /// Locations.
    pub max_locations: usize,
    /// Lines of all locations.
    pub max_lines: usize,
    /// Different sets of labels.
    pub max_label_sets: usize,
    /// Different stacks.
    pub max_stacks: usize,
    /// Locations of all different stacks.
    pub max_stack_locations: usize,
}

impl Default for ReadLimits {
    fn default() -> Self {
        Self {
            max_bytes: MAX_MESSAGE_BYTES,
            max_total_bytes: MAX_CAPTURE_BYTES,
            max_samples: MAX_SAMPLES,
            max_strings: MAX_STRINGS,
            max_string_bytes: MAX_STRING_BYTES,
            max_mappings: MAX_MAPPINGS,
            max_functions: MAX_FUNCTIONS,
            max_locations: MAX_LOCATIONS,
            max_lines: MAX_LINES,
            max_label_sets: MAX_LABEL_SETS,
            max_stacks: MAX_STACKS,
            max_stack_locations: MAX_STACK_LOCATIONS,
        }
    }
}

#[derive(Debug, Clone, Copy)]
struct FunctionRow {
    name: TextId,
    system_name: TextId,
    kind: FrameKind,
    file: TextId,
    head_line: u32,
    object: TextId,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
struct LabelsRow {
    thread_id: Option<u32>,
    thread_name: Option<TextId>,
    scheduler: Option<SchedulerId>,
    erlang_pid: Option<TextId>,
    process_name: Option<TextId>,
    class: Option<SampleClass>,
    trust: Option<Trust>,
    off_cpu: Option<OffCpuWhy>,
}

/// Lines of one location, as a range of `Capture::lines`.
#[derive(Debug, Clone, Copy)]
struct LocationRow {
    first_line: u32,
    end_line: u32,
}

/// A label as it is in the file: key, string, number, unit.
type RawLabel = [i64; 4];

/// A capture in memory.
#[derive(Debug, Default, Clone)]
pub struct Capture {
    limits: ReadLimits,
    texts: Texts,
    mapping_ids: IdMap,
    mapping_objects: Vec<TextId>,
    function_ids: IdMap,
    functions: Vec<FunctionRow>,
    location_ids: IdMap,
    locations: Vec<LocationRow>,
    lines: Vec<Frame>,
    stacks: Stacks,
    /// Positions in `label_sets` by content.
    label_ids: HashTable<u32>,
    label_hash: DefaultHashBuilder,
    label_sets: Vec<LabelsRow>,
    /// Of each type in the order of [`ALL`]. What a profile of another tool counts is in the place of processor time.
    samples: [Vec<Sample>; ALL.len()],
    /// The types that samples may have: at least one once a message was read.
    types: Vec<TypeIndex>,
    /// Whose samples and figures queries return.
    shown: TypeIndex,
    /// The user has chosen it.
    is_chosen: bool,
    sample_types: Vec<[i64; 2]>,
    default_sample_type: i64,
    comments: Vec<i64>,
    node_readings: Vec<NodeReading>,
    stays: Vec<Stay>,
    period_ns: u64,
    duration_ns: u64,
    started_unix_ns: u64,
    truncated: bool,
    file_end: FileEnd,
    /// A table has no room for more. Later records may refer to the missing ones, and of their samples only
    /// those with known stacks and labels could be kept, which would be no fair part of them: nothing more is
    /// read.
    is_full: bool,
    too_deep_function: Option<FunctionIndex>,
    too_deep_location: Option<u32>,
    /// Samples whose stack was cut here.
    stacks_cut: u64,
}

impl Capture {
    /// A capture with nothing in it, to be filled with [`extend`](Self::extend).
    pub fn empty() -> Self {
        Self::default()
    }

    /// Reads a capture file or another pprof profile, gzipped or not.
    ///
    /// # Errors
    /// See [`ReadError`]. A cut end is no error: see [`truncated`](Self::truncated).
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, ReadError> {
        Self::from_bytes_within(bytes, ReadLimits::default())
    }

    /// Like [`from_bytes`](Self::from_bytes) with limits of one's own.
    ///
    /// # Errors
    /// Like [`from_bytes`](Self::from_bytes).
    pub fn from_bytes_within(bytes: &[u8], limits: ReadLimits) -> Result<Self, ReadError> {
        let empty = || Self {
            limits,
            ..Self::default()
        };
        // Each member of a capture of Extrospect makes sense behind those before it, so only one of
        // them is held at a time.
        let by_members = {
            let mut capture = empty();
            let read = capture.extend_by_members(bytes);
            read.map(|()| capture)
        };
        if let Ok(_) | Err(ReadError::TooMany { .. }) = by_members {
            return by_members;
        }
        // Another writer may have cut its message anywhere; any other error shows here, too.
        let mut capture = empty();
        capture.extend(bytes)?;
        Ok(capture)
    }

    /// Reads everything from a reader.
    ///
    /// # Errors
    /// Like [`from_bytes`](Self::from_bytes), and [`ReadError::Io`].
    pub fn read(reader: impl Read) -> Result<Self, ReadError> {
        let limits = ReadLimits::default();
        let mut bytes = Vec::new();
        reader
            .take(limits.max_bytes as u64 + 1)
            .read_to_end(&mut bytes)?;
        let is_cut = bytes.len() > limits.max_bytes;
        bytes.truncate(limits.max_bytes);
        let mut capture = Self::from_bytes_within(&bytes, limits)?;
        capture.truncated |= is_cut;
        Ok(capture)
    }

    /// Adds the increments in `bytes` (whole gzip members, as a
    /// [`CaptureWriter`](crate::writer::CaptureWriter) hands them out) to the capture.
    ///
    /// # Errors
    /// Like [`from_bytes`](Self::from_bytes); the capture should then be thrown away.
    pub fn extend(&mut self, bytes: &[u8]) -> Result<(), ReadError> {
        let mut members = Members::of(bytes, self.limits);
        let mut message = Vec::new();
        let mut is_cut = members.append_next(&mut message)?.ok_or(ReadError::Empty)?;
        while let Some(is_last) = members.append_next(&mut message)? {
            is_cut = is_last;
        }
        self.load_or_cut(&message, &mut KnownParts::default(), is_cut)
    }

    /// The same for members that each make sense behind those before them.
    fn extend_by_members(&mut self, bytes: &[u8]) -> Result<(), ReadError> {
        if bytes.is_empty() {
            return Err(ReadError::Empty);
        }
        let mut members = Members::of(bytes, self.limits);
        let mut message = Vec::new();
        let mut known = KnownParts::default();
        while let Some(is_cut) = members.append_next(&mut message)? {
            self.load_or_cut(&message, &mut known, is_cut)?;
            if self.is_full {
                break;
            }
            message.clear();
        }
        Ok(())
    }

    /// Adds a message. When there is no room for all of it, the part that there is room for stays.
    fn load_or_cut(
        &mut self,
        message: &[u8],
        known: &mut KnownParts,
        is_cut: bool,
    ) -> Result<(), ReadError> {
        self.truncated |= is_cut || self.is_full;
        if self.is_full {
            return Ok(());
        }
        let loaded = self.load(message, known, is_cut);
        if let Err(ReadError::TooMany { .. }) = loaded {
            // There is room for samples again when some are forgotten.
            let samples = self.rows();
            self.is_full = samples < self.limits.max_samples;
            if samples > 0 {
                self.truncated = true;
                return Ok(());
            }
        }
        loaded
    }

    /// Forgets the samples of buckets that begin before. Their stacks and labels stay: samples to
    /// come refer to them, too.
    pub fn forget_samples_before(&mut self, bucket_ms: u64) {
        for of_type in &mut self.samples {
            of_type.retain(|sample| sample.bucket_ms >= bucket_ms);
        }
        self.stays.retain(|stay| stay.at_us / 1000 >= bucket_ms);
    }

    /// Samples of all types together.
    fn rows(&self) -> usize {
        self.samples.iter().map(Vec::len).sum()
    }

    /// The samples of the type that is shown, in the order of the file.
    pub fn samples(&self) -> &[Sample] {
        self.rows_of(self.shown)
    }

    /// The samples of a type; none where the capture does not have it.
    pub fn samples_of(&self, of: &SampleType) -> &[Sample] {
        self.index_of(of).map_or(&[], |index| self.rows_of(index))
    }

    fn rows_of(&self, index: TypeIndex) -> &[Sample] {
        self.samples
            .get(index.as_usize())
            .map_or(&[], Vec::as_slice)
    }

    /// What samples of the type that is shown add to figures.
    #[inline]
    pub fn amount(&self, sample: &Sample) -> u64 {
        match self.shown.figures() {
            Figures::Count => sample.count,
            Figures::Value => sample.value,
        }
    }

    /// The sum of all figures of the type that is shown.
    pub fn total_amount(&self) -> u64 {
        self.samples()
            .iter()
            .fold(0, |sum, sample| sum.saturating_add(self.amount(sample)))
    }

    /// Number of samples of the type that is shown, merged ones counted each.
    pub fn total_samples(&self) -> u64 {
        self.samples()
            .iter()
            .fold(0, |sum, sample| sum.saturating_add(sample.count))
    }

    /// Number of functions.
    pub fn function_count(&self) -> usize {
        self.functions.len()
    }

    /// All functions.
    pub fn function_indices(&self) -> impl Iterator<Item = FunctionIndex> + use<> {
        (0..self.functions.len() as u32).map(FunctionIndex)
    }

    /// Number of different stacks.
    pub fn stack_count(&self) -> usize {
        self.stacks.len()
    }

    /// All different stacks.
    pub fn stack_indices(&self) -> impl Iterator<Item = StackIndex> + use<> {
        (0..self.stacks.len() as u32).map(StackIndex)
    }

    /// All different sets of labels.
    pub fn label_set_indices(&self) -> impl Iterator<Item = LabelsIndex> + use<> {
        (0..self.label_sets.len() as u32).map(LabelsIndex)
    }

    /// Number of different sets of labels.
    pub fn label_set_count(&self) -> usize {
        self.label_sets.len()
    }

    /// The frames of a stack, leaf first.
    pub fn frames(&self, stack: StackIndex) -> impl DoubleEndedIterator<Item = Frame> + '_ {
        self.stacks.get(stack).iter().flat_map(|&location| {
            let lines = self.locations.get(location as usize).and_then(|row| {
                self.lines
                    .get(row.first_line as usize..row.end_line as usize)
            });
            lines.unwrap_or_default().iter().copied()
        })
    }

    /// The known facts about a function.
    pub fn function(&self, index: FunctionIndex) -> FunctionView<'_> {
        let Some(row) = self.functions.get(index.as_usize()) else {
            return FunctionView {
                name: "",
                raw_name: "",
                kind: FrameKind::Native,
                file: "",
                head_line: 0,
                object: "",
            };
        };
        let system_name = self.texts.get(row.system_name);
        FunctionView {
            name: self.texts.get(row.name),
            raw_name: split_system_name(system_name).map_or(system_name, |(_, raw)| raw),
            kind: row.kind,
            file: self.texts.get(row.file),
            head_line: row.head_line,
            object: self.texts.get(row.object),
        }
    }

    /// Where the code of a frame is, as the VM reports it.
    pub fn place(&self, frame: Frame) -> Place<'_> {
        Place::new(self.function(frame.function).file, frame.line)
    }

    /// A set of labels.
    pub fn labels(&self, index: LabelsIndex) -> LabelsView<'_> {
        let Some(row) = self.label_sets.get(index.as_usize()) else {
            return LabelsView::default();
        };
        let text = |id: Option<TextId>| id.map(|id| self.texts.get(id));
        LabelsView {
            thread_id: row.thread_id,
            thread_name: text(row.thread_name),
            scheduler: row.scheduler,
            erlang_pid: text(row.erlang_pid),
            process_name: text(row.process_name),
            class: row.class,
            trust: row.trust,
            off_cpu: row.off_cpu,
        }
    }

    /// The VM it was taken from, if recorded.
    pub fn target(&self) -> Option<TargetFacts> {
        self.last_comment(crate::facts::TARGET_COMMENT)
    }

    /// How it was taken, if recorded.
    pub fn settings(&self) -> Option<CaptureSettings> {
        self.last_comment(crate::facts::SETTINGS_COMMENT)
    }

    /// How far it can be trusted, if recorded. Stacks that were too long for this reader are
    /// counted, too, and so is an end that the file lacks.
    pub fn quality(&self) -> Option<QualityRecord> {
        let quality: QualityRecord = self.last_comment(crate::facts::QUALITY_COMMENT)?;
        let gaps = SamplingGaps {
            missing_end: self.missing_end(),
            ..quality.gaps
        };
        Some(QualityRecord {
            stacks_cut: quality.stacks_cut.saturating_add(self.stacks_cut),
            gaps,
            ..quality
        })
    }

    /// What its file has about its own end.
    pub fn file_end(&self) -> FileEnd {
        self.file_end
    }

    /// Where it was not read to its end, nothing shows whether it has a mark there.
    fn missing_end(&self) -> Option<MissingEnd> {
        if self.truncated && self.file_end == FileEnd::Open {
            return None;
        }
        let last_unix_ns = match self.started_unix_ns {
            0 => 0,
            started => started.saturating_add(self.duration_ns),
        };
        self.file_end.missing(last_unix_ns / 1_000_000)
    }

    /// Samples whose stack was too long for this reader: its middle is one frame `[too deep]`.
    pub fn stacks_cut(&self) -> u64 {
        self.stacks_cut
    }

    /// Whether time in the kernel is in its samples; `None` when not recorded. A kernel frame
    /// proves that it is, whichever program wrote the file.
    pub fn has_kernel_time(&self) -> Option<bool> {
        let is_kernel = |row: &FunctionRow| row.kind == FrameKind::Kernel;
        match self.kernel_time() {
            Some(kernel) => Some(kernel.sampled),
            None => self.functions.iter().any(is_kernel).then_some(true),
        }
    }

    /// The sentences above its figures, see [`QualityRecord::headings`].
    pub fn headings(&self) -> Vec<String> {
        self.headings_by(QualityRecord::headings)
    }

    /// Those of them that stand above a quality line, see [`QualityRecord::headings_above_line`].
    pub fn headings_above_line(&self) -> Vec<String> {
        self.headings_by(QualityRecord::headings_above_line)
    }

    fn headings_by(&self, of_quality: fn(&QualityRecord) -> Vec<String>) -> Vec<String> {
        let quality = self.quality();
        let mut headings = quality.as_ref().map(of_quality).unwrap_or_default();
        headings.extend(self.limits_of_waits().and_then(|limits| limits.heading()));
        headings.extend(self.import().and_then(|import| import.lost_heading()));
        headings
    }

    /// What kept the VM from processors while it was watched where its processes wait; `None` in other captures.
    fn limits_of_waits(&self) -> Option<ProcessorLimits> {
        let waits: WaitsFacts = self.last_comment(crate::facts::WAITS_COMMENT)?;
        waits.processors
    }

    /// Its record of time in the kernel, if there is one.
    pub fn kernel_time(&self) -> Option<KernelTime> {
        self.quality()?.kernel
    }

    /// The commit that its sources were at, if recorded.
    pub fn origin(&self) -> Option<OriginFacts> {
        self.last_comment(crate::facts::ORIGIN_COMMENT)
    }

    /// The build that the VM ran, if recorded.
    pub fn build(&self) -> Option<BuildFacts> {
        self.last_comment(crate::facts::BUILD_COMMENT)
            .map(BuildFacts::bounded)
    }

    /// The machine during the capture, if recorded.
    pub fn host(&self) -> Option<HostFacts> {
        self.last_comment(crate::facts::HOST_COMMENT)
    }

    /// The note, tags and pin of its user, if there are any.
    pub fn user(&self) -> Option<UserFacts> {
        self.last_comment(crate::facts::USER_COMMENT)
    }

    /// The work that was counted during the capture, if any was.
    pub fn work(&self) -> Option<WorkFacts> {
        self.last_comment(crate::facts::WORK_COMMENT)
    }

    /// The profile that it was made from, if it is an import.
    pub fn import(&self) -> Option<ImportFacts> {
        self.last_comment(crate::facts::IMPORT_COMMENT)
    }

    /// Whether it records how it was taken, as captures of Extrospect do.
    pub fn is_own(&self) -> bool {
        self.comments()
            .any(|it| it.starts_with(crate::facts::SETTINGS_COMMENT))
    }

    /// All comments.
    pub fn comments(&self) -> impl DoubleEndedIterator<Item = &str> {
        self.comments
            .iter()
            .filter_map(|&index| Some(self.texts.get(self.texts.id(index)?)))
    }

    /// The VM's figures about itself, about once a second, in the order of the file.
    pub fn node_readings(&self) -> &[NodeReading] {
        &self.node_readings
    }

    /// Long collections and calls, in the order of the file; of very many the longest.
    pub fn stays(&self) -> &[Stay] {
        &self.stays
    }

    /// CPU time between two samples, nanoseconds; 0 when not known.
    pub fn period_ns(&self) -> u64 {
        self.period_ns
    }

    /// Length, nanoseconds.
    pub fn duration_ns(&self) -> u64 {
        self.duration_ns
    }

    /// Wall-clock time of the start, nanoseconds since 1970; 0 when not known.
    pub fn started_unix_ns(&self) -> u64 {
        self.started_unix_ns
    }

    /// The end was cut: only the part that was complete before is here.
    pub fn truncated(&self) -> bool {
        self.truncated
    }

    fn last_comment<T: serde::de::DeserializeOwned>(&self, prefix: &str) -> Option<T> {
        self.comments()
            .rev()
            .filter_map(|comment| comment.strip_prefix(prefix))
            // Bytes everywhere: the helper has the code that reads a fact once.
            .find_map(|json| named_members::from_slice(json.as_bytes()).ok())
    }
}

/// `kind!raw_name` in its parts, when it starts with a kind.
fn split_system_name(system_name: &str) -> Option<(FrameKind, &str)> {
    let (kind, raw_name) = system_name.split_once('!')?;
    Some((FrameKind::parse(kind)?, raw_name))
}
