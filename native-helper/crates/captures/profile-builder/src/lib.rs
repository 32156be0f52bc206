//! A profile while it is made: functions, places in them, stacks as a tree, samples; in the end a pprof message.
//!
//! Parsers of other tools' profiles fill one, and so does the look at where processes wait. Stacks are kept as a tree
//! because several formats are trees or sequences of calls and returns: a call costs one node there, however deep it
//! is. They are written out in the end, each as far as it has samples, within [`Bounds::max_frames`], and without the
//! middle of those that are too deep.

use std::collections::HashMap;

use capture::classify::{RunContext, classify};
use capture::limits::StackCut;
use capture::marks::Mark;
use capture::pprof::StringTable;
use capture::pprof::{Function, Label, Line, Location, Mapping, Profile, Sample, ValueType};
use capture::reader::FunctionView;
use capture::sample::{FrameKind, FunctionFacts, SampleClass, SchedulerId, Trust};
use capture::writer::BUCKET_MS;
use prost::Message;

/// Bounds on the profile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    /// Samples, before equal ones are merged.
    pub max_samples: usize,
    /// Frames of one stack; of a deeper one the frames in the middle are one `[too deep]`.
    pub max_depth: u32,
    /// Frames of all samples together, after equal samples of one moment are merged; and of all stacks.
    pub max_frames: usize,
}

/// There is more of something than allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("it holds more than {max} {what}")]
pub struct TooMany {
    /// What there is too much of.
    pub what: &'static str,
    /// The limit.
    pub max: usize,
}

/// The field `Profile.sample`.
const PROFILE_SAMPLE: u32 = 2;
/// The CPU time that one microsecond counts, when samples are counted in microseconds.
const NS_PER_US: u64 = 1000;

/// A function of a [`ProfileBuilder`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct FunctionId(u32);

/// A line of a function of a [`ProfileBuilder`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct FrameId(u32);

/// A stack: its innermost frame and what called it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct StackId(u32);

/// Labels of a [`ProfileBuilder`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct LabelsId(u32);

/// Whose samples they are.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Labels {
    /// Kernel thread id, 0 when not known.
    pub thread_id: u64,
    /// Thread name, empty when not known.
    pub thread_name: String,
    /// Erlang pid, empty when not known.
    pub erlang_pid: String,
    /// Process name, empty when not known.
    pub process_name: String,
    /// The scheduler, where thread names contain it.
    pub scheduler: Option<SchedulerId>,
    /// The class, where the format has it.
    pub class: Option<SampleClass>,
    /// How the Erlang part is known, where the format has it.
    pub trust: Option<Trust>,
}

/// What the samples of a file count.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Measure {
    /// Samples, and how much time each stands for is not known.
    Samples,
    /// Samples that each have their time; `period_ns` is the usual one, 0 when there is none.
    SamplesAndTime {
        /// Nanoseconds.
        period_ns: u64,
    },
    /// Time alone: there were no samples, calls were timed. Counted in microseconds, since captures
    /// count whole things and a nanosecond would leave room for four seconds only.
    Time,
    /// Something else: name and unit, `inuse_space` in `bytes`.
    Other {
        /// The sample type.
        name: String,
        /// In what.
        unit: String,
    },
}

#[derive(Debug, Clone, Copy)]
struct Node {
    parent: u32,
    frame: FrameId,
    depth: u32,
    /// Of its callers the deepest that is kept when the stack is cut.
    outermost: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct SampleKey {
    stack: StackId,
    labels: LabelsId,
    /// 0 also when the time is not known.
    bucket: u64,
}

#[derive(Debug, Clone, Copy, Default)]
struct Weight {
    count: u64,
    time_ns: u64,
}

/// A profile being read.
#[derive(Debug)]
pub struct ProfileBuilder {
    bounds: Bounds,
    cut: StackCut,
    /// There were calls that nothing more is known of.
    is_full: bool,
    functions: HashMap<FunctionFacts, u32>,
    facts: Vec<FunctionFacts>,
    places: HashMap<(u32, u32), FrameId>,
    frames: Vec<(u32, u32)>,
    children: HashMap<(StackId, FrameId), StackId>,
    nodes: Vec<Node>,
    label_ids: HashMap<Labels, LabelsId>,
    labels: Vec<Labels>,
    order: Vec<SampleKey>,
    weights: HashMap<SampleKey, Weight>,
    added: usize,
    /// Of the stacks that are too deep.
    cut_samples: u64,
    /// Of all samples that differ, as they would be written out.
    frame_count: usize,
    too_deep: Option<FrameId>,
    text_bytes: usize,
    /// What the samples count.
    pub measure: Measure,
    /// Length of the profile, nanoseconds; 0 when not known.
    pub duration_ns: u64,
    /// Start, nanoseconds since 1970; 0 when not known.
    pub started_unix_ns: u64,
    /// The comments in the file about itself, as captures have them.
    pub comments: Vec<String>,
}

impl ProfileBuilder {
    /// A profile without anything in it.
    pub fn new(bounds: Bounds) -> Self {
        Self {
            bounds,
            cut: StackCut::to(bounds.max_depth.max(1) as usize),
            is_full: false,
            functions: HashMap::new(),
            facts: Vec::new(),
            places: HashMap::new(),
            frames: Vec::new(),
            children: HashMap::new(),
            nodes: Vec::new(),
            label_ids: HashMap::new(),
            labels: Vec::new(),
            order: Vec::new(),
            weights: HashMap::new(),
            added: 0,
            cut_samples: 0,
            frame_count: 0,
            too_deep: None,
            text_bytes: 0,
            measure: Measure::Samples,
            duration_ns: 0,
            started_unix_ns: 0,
            comments: Vec::new(),
        }
    }

    /// The stack without frames.
    pub const EMPTY: StackId = StackId(u32::MAX);

    /// The frame for a line of a function; 0 stands for an unknown line.
    pub fn frame(&mut self, facts: FunctionFacts, line: u32) -> FrameId {
        let function = self.function(facts);
        self.place(function, line)
    }

    /// The function with these facts.
    pub fn function(&mut self, facts: FunctionFacts) -> FunctionId {
        let next = self.facts.len() as u32;
        if let Some(&known) = self.functions.get(&facts) {
            return FunctionId(known);
        }
        let texts = [&facts.name, &facts.raw_name, &facts.file, &facts.object];
        self.text_bytes += texts.map(String::len).into_iter().sum::<usize>();
        self.facts.push(facts.clone());
        self.functions.insert(facts, next);
        FunctionId(next)
    }

    /// The frame for a line of a function; 0 stands for an unknown line.
    pub fn place(&mut self, function: FunctionId, line: u32) -> FrameId {
        let FunctionId(function) = function;
        let next = FrameId(self.frames.len() as u32);
        let frame = *self.places.entry((function, line)).or_insert(next);
        if frame == next {
            self.frames.push((function, line));
        }
        frame
    }

    /// The stack of `frame` called from `caller`.
    pub fn call(&mut self, caller: StackId, frame: FrameId) -> StackId {
        let next = StackId(self.nodes.len() as u32);
        let (depth, outermost) = match self.nodes.get(caller.0 as usize) {
            Some(node) if node.depth as usize >= self.cut.outermost => {
                (node.depth + 1, node.outermost)
            }
            Some(node) => (node.depth + 1, next.0),
            None if self.cut.outermost == 0 => (1, Self::EMPTY.0),
            None => (1, next.0),
        };
        if let Some(&known) = self.children.get(&(caller, frame)) {
            return known;
        }
        if self.nodes.len() >= self.bounds.max_frames {
            self.is_full = true;
            return caller;
        }
        if depth > self.bounds.max_depth && self.too_deep.is_none() {
            self.too_deep = Some(self.frame(FunctionFacts::marker(Mark::TooDeep.name()), 0));
        }
        self.children.insert((caller, frame), next);
        self.nodes.push(Node {
            parent: caller.0,
            frame,
            depth,
            outermost,
        });
        next
    }

    /// Samples so far, before equal ones are merged, whose stacks are deeper than [`Bounds::max_depth`].
    pub fn cut_samples(&self) -> u64 {
        self.cut_samples
    }

    /// Bytes of all names and labels so far.
    pub fn text_bytes(&self) -> usize {
        self.text_bytes
    }

    /// The id of labels.
    pub fn labels(&mut self, labels: Labels) -> LabelsId {
        if let Some(&known) = self.label_ids.get(&labels) {
            return known;
        }
        let id = LabelsId(self.labels.len() as u32);
        let texts = [
            &labels.thread_name,
            &labels.erlang_pid,
            &labels.process_name,
        ];
        self.text_bytes += texts.map(String::len).into_iter().sum::<usize>();
        self.labels.push(labels.clone());
        self.label_ids.insert(labels, id);
        id
    }

    /// Adds `count` samples that stand for `time_ns` together, `at_ns` after the start.
    ///
    /// # Errors
    /// There are more than allowed.
    pub fn add(
        &mut self,
        stack: StackId,
        labels: LabelsId,
        at_ns: u64,
        count: u64,
        time_ns: u64,
    ) -> Result<(), TooMany> {
        self.added += 1;
        if self.added > self.bounds.max_samples {
            return Err(TooMany {
                what: "samples",
                max: self.bounds.max_samples,
            });
        }
        let node = self.nodes.get(stack.0 as usize);
        if node.is_some_and(|node| node.depth > self.bounds.max_depth) {
            self.cut_samples += 1;
        }
        let key = SampleKey {
            stack,
            labels,
            bucket: at_ns / capture::writer::BUCKET_NS,
        };
        if !self.weights.contains_key(&key) {
            let node = self.nodes.get(stack.0 as usize);
            let depth = node.map_or(0, |node| node.depth.min(self.bounds.max_depth) as usize);
            self.frame_count = self.frame_count.saturating_add(depth);
            self.check_frames()?;
            self.order.push(key);
        }
        let weight = self.weights.entry(key).or_default();
        weight.count = weight.count.saturating_add(count);
        weight.time_ns = weight.time_ns.saturating_add(time_ns);
        Ok(())
    }

    /// Whether any frame of the stack is Erlang code or a fragment that Erlang code runs.
    fn runs_erlang(&self, stack: StackId) -> bool {
        self.frames_of(stack).any(|frame| {
            self.view(frame)
                .is_some_and(|view| matches!(view.kind, FrameKind::Erlang | FrameKind::Bif))
        })
    }

    fn view(&self, frame: FrameId) -> Option<FunctionView<'_>> {
        let (function, _) = self.frames.get(frame.0 as usize)?;
        let facts = self.facts.get(*function as usize)?;
        Some(facts.into())
    }

    /// Frames as they are written, the innermost first.
    fn frames_of(&self, stack: StackId) -> impl Iterator<Item = FrameId> + '_ {
        let node = self.nodes.get(stack.0 as usize);
        let is_deep = |node: &&Node| node.depth > self.bounds.max_depth;
        let (innermost, outermost) = match node.filter(is_deep) {
            Some(node) => (self.cut.innermost, Some(StackId(node.outermost))),
            None => (usize::MAX, None),
        };
        let upper = self.callers(stack).take(innermost);
        let marker = outermost.and(self.too_deep);
        let lower = outermost.map(|stack| self.callers(stack));
        upper.chain(marker).chain(lower.into_iter().flatten())
    }

    /// The frame of a stack and all that called it.
    fn callers(&self, stack: StackId) -> impl Iterator<Item = FrameId> + '_ {
        let mut at = stack.0;
        std::iter::from_fn(move || {
            let node = self.nodes.get(at as usize)?;
            at = node.parent;
            Some(node.frame)
        })
    }

    /// The class of a sample: that of the format, else the one that its frames give on a scheduler.
    fn class_of(&self, key: SampleKey) -> Option<SampleClass> {
        let labels = self.labels.get(key.labels.0 as usize)?;
        if labels.class.is_some() || labels.scheduler.is_none() {
            return labels.class;
        }
        let context = match self.runs_erlang(key.stack) {
            true => RunContext::Process,
            false => RunContext::NoProcess,
        };
        let views = self
            .frames_of(key.stack)
            .filter_map(|frame| self.view(frame));
        let class = classify(views, context);
        // Without Erlang frames it is unknown whether a process runs: only the frames' own class
        // counts.
        Some(class)
            .filter(|class| context == RunContext::Process || *class != SampleClass::Scheduler)
    }

    /// The message, not compressed.
    pub fn finish(self) -> Vec<u8> {
        let mut strings = StringTable::default();
        let mut profile = Profile {
            duration_nanos: clamped(self.duration_ns),
            time_nanos: clamped(self.started_unix_ns),
            ..Profile::default()
        };
        self.describe(&mut profile, &mut strings);
        self.write_places(&mut profile, &mut strings);
        // Sample by sample: a message of all of them would be many times larger than its bytes.
        let samples = self.encoded_samples(&mut strings);
        profile.string_table = strings.into_list();
        let mut message = Vec::with_capacity(profile.encoded_len() + samples.len());
        profile.encode_raw(&mut message);
        message.extend_from_slice(&samples);
        message
    }

    /// All samples written out, and the stacks that are kept for them, take no more than allowed.
    fn check_frames(&self) -> Result<(), TooMany> {
        match self.is_full || self.frame_count > self.bounds.max_frames {
            true => Err(TooMany {
                what: "frames",
                max: self.bounds.max_frames,
            }),
            false => Ok(()),
        }
    }

    fn describe(&self, profile: &mut Profile, strings: &mut StringTable) {
        let mut value = |name: &str, unit: &str| ValueType {
            r#type: strings.id(name),
            unit: strings.id(unit),
        };
        match &self.measure {
            Measure::Samples => profile.sample_type = vec![value("samples", "count")],
            Measure::SamplesAndTime { period_ns } => {
                let cpu = value("cpu", "nanoseconds");
                profile.sample_type = vec![value("samples", "count"), cpu];
                profile.default_sample_type = cpu.r#type;
                profile.period_type = Some(cpu);
                profile.period = clamped(*period_ns);
            }
            Measure::Time => {
                profile.sample_type = vec![value("time", "microseconds")];
                profile.period_type = Some(value("time", "nanoseconds"));
                profile.period = clamped(NS_PER_US);
            }
            Measure::Other { name, unit } => profile.sample_type = vec![value(name, unit)],
        }
        let comments = self.comments.iter().map(|comment| strings.id(comment));
        profile.comment = comments.collect();
    }

    fn write_places(&self, profile: &mut Profile, strings: &mut StringTable) {
        let mut mappings: HashMap<&str, u64> = HashMap::new();
        let mut mapping_of = Vec::with_capacity(self.facts.len());
        for (index, facts) in self.facts.iter().enumerate() {
            let next = mappings.len() as u64 + 1;
            let mapping = match facts.object.as_str() {
                "" => 0,
                object => *mappings.entry(object).or_insert(next),
            };
            if mapping == next {
                profile.mapping.push(Mapping {
                    id: mapping,
                    filename: strings.id(&facts.object),
                    has_functions: true,
                    has_filenames: true,
                    has_line_numbers: true,
                    ..Mapping::default()
                });
            }
            mapping_of.push(mapping);
            let system_name = format!("{}!{}", facts.kind.as_str(), facts.raw_name);
            profile.function.push(Function {
                id: index as u64 + 1,
                name: strings.id(&facts.name),
                system_name: strings.id(&system_name),
                filename: strings.id(&facts.file),
                start_line: i64::from(facts.head_line),
            });
        }
        let location = |(index, (function, line)): (usize, &(u32, u32))| Location {
            id: index as u64 + 1,
            mapping_id: mapping_of.get(*function as usize).copied().unwrap_or(0),
            line: vec![Line {
                function_id: u64::from(*function) + 1,
                line: i64::from(*line),
                column: 0,
            }],
            ..Location::default()
        };
        profile.location = self.frames.iter().enumerate().map(location).collect();
    }

    /// The field `Profile.sample` of each of them.
    fn encoded_samples(&self, strings: &mut StringTable) -> Vec<u8> {
        let mut encoded = Vec::new();
        for key in &self.order {
            let Weight { count, time_ns } = self.weights.get(key).copied().unwrap_or_default();
            let value = match &self.measure {
                Measure::Samples | Measure::Other { .. } => vec![clamped(count)],
                Measure::SamplesAndTime { .. } => vec![clamped(count), clamped(time_ns)],
                Measure::Time => vec![clamped(time_ns.saturating_add(NS_PER_US / 2) / NS_PER_US)],
            };
            if value.iter().all(|value| *value == 0) {
                continue;
            }
            let locations = self.frames_of(key.stack);
            let sample = Sample {
                location_id: locations.map(|frame| u64::from(frame.0) + 1).collect(),
                value,
                label: self.written_labels(*key, strings),
            };
            prost::encoding::message::encode(PROFILE_SAMPLE, &sample, &mut encoded);
        }
        encoded
    }

    fn written_labels(&self, key: SampleKey, strings: &mut StringTable) -> Vec<Label> {
        let Some(labels) = self.labels.get(key.labels.0 as usize) else {
            return Vec::new();
        };
        let mut written = Vec::new();
        let class = self.class_of(key);
        let scheduler = labels.scheduler.map(|scheduler| scheduler.to_string());
        for (name, text) in [
            ("class", class.map_or("", SampleClass::as_str)),
            ("trust", labels.trust.map_or("", Trust::as_str)),
            ("process", labels.process_name.as_str()),
            ("pid", labels.erlang_pid.as_str()),
            ("scheduler", scheduler.as_deref().unwrap_or_default()),
            ("thread", labels.thread_name.as_str()),
        ] {
            if !text.is_empty() {
                written.push(Label {
                    key: strings.id(name),
                    str: strings.id(text),
                    ..Label::default()
                });
            }
        }
        if labels.thread_id != 0 {
            written.push(Label {
                key: strings.id("tid"),
                num: clamped(labels.thread_id),
                ..Label::default()
            });
        }
        written.push(Label {
            key: strings.id("bucket_ms"),
            num: clamped(key.bucket.saturating_mul(BUCKET_MS)),
            num_unit: strings.id("milliseconds"),
            ..Label::default()
        });
        written
    }
}

fn clamped(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}
