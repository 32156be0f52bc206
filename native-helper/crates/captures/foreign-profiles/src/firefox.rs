//! The JSON of the Firefox Profiler, as samply and our own export write it: threads with their samples, and tables of
//! stacks, frames and functions, of each thread or shared by all.
//!
//! Read is the processed format, which its page saves, in all versions whose tables are columns. Firefox itself records
//! another one, in which rows are lists.

use std::fmt;
use std::marker::PhantomData;

use capture::sample::{FrameKind, FunctionFacts, SampleClass};
use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, SeqAccess, Visitor};
use shared_map::HashMap;

use crate::error::{Defect, ImportError};
use crate::format::Format;
use crate::fractions;
use crate::json;
use crate::limits::Limits;
use crate::names;
use crate::profile::{ForeignProfile, left_out};
use profile_builder::{FrameId, FunctionId, Labels, Measure, ProfileBuilder, StackId};

const NS_PER_MS: f64 = 1e6;
/// Shorter distances between samples are none.
const LEAST_PERIOD_NS: u64 = 10_000;
/// Threads, libraries and categories of a profile, of each: objects, which take more memory than their text.
const MAX_OBJECTS: usize = 1 << 16;
/// Names and paths are cut after so many bytes: many functions may have one text.
const MAX_TEXT_BYTES: usize = 4096;
/// In place of an index that is not there.
const NONE: u32 = u32::MAX;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct File {
    meta: Meta,
    #[serde(default, deserialize_with = "objects")]
    libs: Vec<Library>,
    #[serde(default)]
    shared: Tables,
    #[serde(deserialize_with = "objects")]
    threads: Vec<Thread>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Meta {
    /// Milliseconds between samples.
    #[serde(default)]
    interval: f64,
    /// Milliseconds since 1970.
    #[serde(default)]
    start_time: f64,
    #[serde(default, deserialize_with = "objects")]
    categories: Vec<Category>,
}

#[derive(Deserialize)]
struct Category {
    #[serde(default)]
    name: String,
}

#[derive(Deserialize)]
struct Library {
    #[serde(default)]
    name: String,
    #[serde(default)]
    path: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Thread {
    #[serde(default)]
    name: String,
    #[serde(default)]
    tid: ThreadId,
    samples: Box<Samples>,
    #[serde(default)]
    string_array: Option<Texts>,
    #[serde(default)]
    stack_table: Option<StackTable>,
    #[serde(default)]
    frame_table: Option<FrameTable>,
    #[serde(default)]
    func_table: Option<FunctionTable>,
    #[serde(default)]
    resource_table: Option<ResourceTable>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase")]
struct Samples {
    #[serde(default)]
    stack: Indices,
    /// Milliseconds.
    #[serde(default)]
    time: Option<Vec<f64>>,
    /// The same since the sample before.
    #[serde(default)]
    time_deltas: Option<Vec<f64>>,
    #[serde(default)]
    weight: Option<Vec<f64>>,
    #[serde(default)]
    weight_type: Option<String>,
    /// Processor time since the sample before; null where that is not known.
    #[serde(default, rename = "threadCPUDelta")]
    thread_cpu_delta: Option<Vec<Option<f64>>>,
    /// Of the format that Firefox records.
    #[serde(default)]
    schema: Option<IgnoredAny>,
}

/// The tables that all threads share.
#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase")]
struct Tables {
    #[serde(default)]
    string_array: Option<Texts>,
    #[serde(default)]
    stack_table: Option<StackTable>,
    #[serde(default)]
    frame_table: Option<FrameTable>,
    #[serde(default)]
    func_table: Option<FunctionTable>,
    #[serde(default)]
    resource_table: Option<ResourceTable>,
    #[serde(default)]
    sources: Option<SourceTable>,
}

#[derive(Deserialize, Default)]
struct StackTable {
    /// The caller.
    #[serde(default)]
    prefix: Indices,
    #[serde(default)]
    frame: Indices,
}

#[derive(Deserialize, Default)]
struct FrameTable {
    #[serde(default)]
    func: Indices,
    #[serde(default)]
    line: Indices,
    #[serde(default)]
    category: Indices,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase")]
struct FunctionTable {
    #[serde(default)]
    name: Indices,
    #[serde(default)]
    resource: Indices,
    #[serde(default)]
    file_name: Indices,
    /// Of later versions: the file is in another table.
    #[serde(default)]
    source: Indices,
    #[serde(default)]
    line_number: Indices,
}

#[derive(Deserialize, Default)]
struct ResourceTable {
    #[serde(default)]
    lib: Indices,
}

#[derive(Deserialize, Default)]
struct SourceTable {
    #[serde(default)]
    filename: Indices,
}

/// Indices, lines and other small numbers, with [`NONE`] for null and numbers below zero. Most of a file are these.
#[derive(Default)]
struct Indices(Vec<u32>);

impl Indices {
    fn get(&self, at: usize) -> Option<usize> {
        let index = *self.0.get(at)?;
        (index != NONE).then_some(index as usize)
    }
}

impl<'de> Deserialize<'de> for Indices {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Numbers;
        impl<'de> Visitor<'de> for Numbers {
            type Value = Indices;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list of numbers")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Indices, A::Error> {
                let mut numbers = Vec::new();
                while let Some(number) = list.next_element::<Option<f64>>()? {
                    let number = number.filter(|number| *number >= 0.0);
                    // An index that is too large points nowhere; it is not null.
                    numbers
                        .push(number.map_or(NONE, |number| (number.round() as u32).min(NONE - 1)));
                }
                Ok(Indices(numbers))
            }
        }
        deserializer.deserialize_seq(Numbers)
    }
}

/// Texts end to end: a list of short ones would be many times larger in memory than in the file.
#[derive(Default)]
struct Texts {
    all: String,
    ends: Vec<usize>,
}

impl Texts {
    fn get(&self, at: usize) -> Option<&str> {
        let end = *self.ends.get(at)?;
        let start = match at {
            0 => 0,
            at => *self.ends.get(at - 1)?,
        };
        self.all.get(start..end)
    }
}

impl<'de> Deserialize<'de> for Texts {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        /// Adds a text.
        struct Adding<'t>(&'t mut Texts);
        impl<'de> DeserializeSeed<'de> for Adding<'_> {
            type Value = ();

            fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
                deserializer.deserialize_str(self)
            }
        }
        impl Visitor<'_> for Adding<'_> {
            type Value = ();

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a text")
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<(), E> {
                self.0.all.push_str(text);
                self.0.ends.push(self.0.all.len());
                Ok(())
            }
        }
        struct List;
        impl<'de> Visitor<'de> for List {
            type Value = Texts;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list of texts")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Texts, A::Error> {
                let mut texts = Texts::default();
                while list.next_element_seed(Adding(&mut texts))?.is_some() {}
                Ok(texts)
            }
        }
        deserializer.deserialize_seq(List)
    }
}

/// `4711`, `"4711"` or `"4711.2"`; 0 where it is anything else.
#[derive(Default)]
struct ThreadId(u64);

impl<'de> Deserialize<'de> for ThreadId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Id;
        impl Visitor<'_> for Id {
            type Value = ThreadId;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("the id of a thread")
            }

            fn visit_u64<E>(self, id: u64) -> Result<ThreadId, E> {
                Ok(ThreadId(id))
            }

            fn visit_i64<E>(self, _: i64) -> Result<ThreadId, E> {
                Ok(ThreadId(0))
            }

            fn visit_f64<E>(self, id: f64) -> Result<ThreadId, E> {
                Ok(ThreadId(json::count(id)))
            }

            fn visit_str<E>(self, text: &str) -> Result<ThreadId, E> {
                let id = text.split('.').next().and_then(|id| id.parse().ok());
                Ok(ThreadId(id.unwrap_or(0)))
            }

            fn visit_unit<E>(self) -> Result<ThreadId, E> {
                Ok(ThreadId(0))
            }
        }
        deserializer.deserialize_any(Id)
    }
}

/// A list of objects, as many as there may be.
fn objects<'de, D, T>(deserializer: D) -> Result<Vec<T>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    struct List<T>(PhantomData<T>);
    impl<'de, T: Deserialize<'de>> Visitor<'de> for List<T> {
        type Value = Vec<T>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a list of objects")
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Vec<T>, A::Error> {
            let mut objects = Vec::new();
            while let Some(object) = list.next_element()? {
                if objects.len() == MAX_OBJECTS {
                    let what = format!("more than {MAX_OBJECTS} objects in one list");
                    return Err(A::Error::custom(what));
                }
                objects.push(object);
            }
            Ok(objects)
        }
    }
    deserializer.deserialize_seq(List(PhantomData))
}

impl Thread {
    /// Whether any table is its own.
    fn has_tables(&self) -> bool {
        self.string_array.is_some()
            || self.stack_table.is_some()
            || self.frame_table.is_some()
            || self.func_table.is_some()
            || self.resource_table.is_some()
    }
}

/// What the weights of samples are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Weights {
    Samples,
    Milliseconds,
    Bytes,
}

impl Samples {
    fn check(&self) -> Result<(), ImportError> {
        let samples = self.stack.0.len();
        for (what, column) in [
            ("times", &self.time),
            ("times", &self.time_deltas),
            ("weights", &self.weight),
        ] {
            if let Some(column) = column {
                same_length("samples", (what, column.len()), ("samples", samples))?;
            }
        }
        Ok(())
    }

    fn processor_times(&self) -> &[Option<f64>] {
        self.thread_cpu_delta.as_deref().unwrap_or_default()
    }
}

impl Weights {
    fn of(samples: &Samples) -> Result<Self, ImportError> {
        match samples.weight_type.as_deref() {
            None | Some("samples") => Ok(Self::Samples),
            Some("tracing-ms") => Ok(Self::Milliseconds),
            Some("bytes") => Ok(Self::Bytes),
            Some(other) => {
                let what = format!("there is no type of weight {other:?}");
                Err(malformed(Defect::unknown(other), what))
            }
        }
    }
}

fn malformed(defect: Defect, what: impl Into<String>) -> ImportError {
    ImportError::malformed(Format::Firefox, defect, what)
}

/// Reads a file.
pub(crate) fn read(bytes: &[u8], limits: &Limits) -> Result<ForeignProfile, ImportError> {
    let file: File = json::parse(bytes, Format::Firefox)?;
    if file
        .threads
        .iter()
        .any(|thread| thread.samples.schema.is_some())
    {
        let what = "it is in the form that Firefox records; open it on profiler.firefox.com and save it there";
        return Err(malformed(Defect::Unprocessed, what));
    }
    let mut profile = ForeignProfile::new(limits);
    let (weights, threads) = of_one_type(&file, &mut profile)?;
    let mut adding = Adding::new(&file, weights, &threads);
    profile.measure = adding.measure();
    profile.started_unix_ns = json::count(file.meta.start_time * NS_PER_MS);
    let times: Vec<Vec<f64>> = threads.iter().map(|it| times(&it.samples)).collect();
    let all_times = times.iter().flatten().copied();
    let finite = all_times.filter(|time| time.is_finite());
    adding.start_ms = finite.clone().fold(f64::INFINITY, f64::min);
    let end_ms = finite.fold(adding.start_ms, f64::max);
    profile.duration_ns = json::count((end_ms - adding.start_ms) * NS_PER_MS);
    let mut shared: Option<Vec<StackId>> = None;
    for (thread, times) in threads.iter().zip(&times) {
        let of_thread;
        let stacks: &[StackId] = if thread.has_tables() {
            of_thread = Reading::new(&file, thread, limits).stacks(&mut profile)?;
            &of_thread
        } else {
            // Once for all threads without tables of their own.
            if shared.is_none() {
                let stacks = Reading::new(&file, thread, limits).stacks(&mut profile)?;
                shared = Some(stacks);
            }
            shared.as_deref().unwrap_or_default()
        };
        adding.add(&mut profile, thread, times, stacks)?;
    }
    profile.note_below_zero(Format::Firefox, "weight", (adding.below_zero, adding.all))?;
    Ok(profile)
}

/// The samples of all threads, as they are added.
struct Adding {
    weights: Weights,
    /// Parts of one weight that are counted.
    scale: f64,
    /// Between samples, where the file has it.
    period_ns: Option<u64>,
    /// When the first sample was.
    start_ms: f64,
    /// samply and Firefox have samples of threads that sleep, too.
    has_processor_times: bool,
    below_zero: usize,
    all: usize,
}

impl Adding {
    fn new(file: &File, weights: Weights, threads: &[&Thread]) -> Self {
        let samples = || threads.iter().map(|thread| &thread.samples);
        let all_weights = samples().filter_map(|it| it.weight.as_deref()).flatten();
        let period_ns = json::count(file.meta.interval * NS_PER_MS);
        Self {
            weights,
            scale: match weights {
                Weights::Samples => fractions::scale(all_weights.copied()),
                Weights::Milliseconds | Weights::Bytes => 1.0,
            },
            period_ns: Some(period_ns).filter(|period| *period >= LEAST_PERIOD_NS),
            start_ms: 0.0,
            has_processor_times: samples()
                .flat_map(|it| it.processor_times().iter().flatten())
                .any(|time| *time > 0.0),
            below_zero: 0,
            all: 0,
        }
    }

    fn measure(&self) -> Measure {
        match (self.weights, fractions::measure(self.scale), self.period_ns) {
            (Weights::Samples, Some(parts), _) => parts,
            (Weights::Samples, None, Some(period_ns)) => Measure::SamplesAndTime { period_ns },
            (Weights::Samples, None, None) => Measure::Samples,
            (Weights::Milliseconds, ..) => Measure::Time,
            (Weights::Bytes, ..) => Measure::Other {
                name: "space".to_owned(),
                unit: "bytes".to_owned(),
            },
        }
    }

    /// Adds the samples of a thread, with their times and the stacks of its tables.
    fn add(
        &mut self,
        profile: &mut ForeignProfile,
        thread: &Thread,
        times: &[f64],
        stacks: &[StackId],
    ) -> Result<(), ImportError> {
        let labels = Labels {
            thread_id: thread.tid.0,
            thread_name: thread.name.clone(),
            scheduler: names::scheduler_of_thread(&thread.name),
            ..Labels::default()
        };
        let idle = profile.labels(Labels {
            class: Some(SampleClass::Idle),
            ..labels.clone()
        });
        let labels = profile.labels(labels);
        let samples = &thread.samples;
        for at in 0..samples.stack.0.len() {
            let weight = samples.weight.as_ref();
            let weight = weight.map_or(1.0, |list| list.get(at).copied().unwrap_or(0.0));
            self.all += 1;
            if weight < 0.0 {
                self.below_zero += 1;
                continue;
            }
            let stack = match samples.stack.get(at) {
                None => ProfileBuilder::EMPTY,
                Some(stack) => {
                    let missing = || {
                        let what = format!("there is no stack {stack}");
                        malformed(Defect::at("stackTable", stack), what)
                    };
                    *stacks.get(stack).ok_or_else(missing)?
                }
            };
            let at_ms = times.get(at).copied().unwrap_or(self.start_ms) - self.start_ms;
            let at_ns = json::count(at_ms * NS_PER_MS);
            let (count, time_ns) = self.counted(weight);
            let is_idle = samples.processor_times().get(at) == Some(&Some(0.0));
            let labels = match is_idle && self.has_processor_times {
                true => idle,
                false => labels,
            };
            profile.add(stack, labels, at_ns, count, time_ns)?;
        }
        Ok(())
    }

    /// How many samples a weight is, and how much time.
    fn counted(&self, weight: f64) -> (u64, u64) {
        match self.weights {
            Weights::Milliseconds => (0, json::count(weight * NS_PER_MS)),
            Weights::Samples | Weights::Bytes => {
                let count = json::count(weight * self.scale);
                (count, count.saturating_mul(self.period_ns.unwrap_or(0)))
            }
        }
    }
}

/// The threads whose samples have weights of the type that the first one with samples has: a capture measures one
/// thing.
fn of_one_type<'f>(
    file: &'f File,
    profile: &mut ForeignProfile,
) -> Result<(Weights, Vec<&'f Thread>), ImportError> {
    let mut first = None;
    let mut threads = Vec::new();
    let mut others = 0;
    for thread in file
        .threads
        .iter()
        .filter(|it| !it.samples.stack.0.is_empty())
    {
        let weights = Weights::of(&thread.samples)?;
        thread.samples.check()?;
        match weights == *first.get_or_insert(weights) {
            true => threads.push(thread),
            false => others += 1,
        }
    }
    if others > 0 {
        let what = "measuring something else than the first one";
        profile.notes.push(left_out(others, "thread", what));
    }
    let Some(first) = first else {
        return Err(malformed(Defect::NoSamples, "it has no sample"));
    };
    Ok((first, threads))
}

/// Columns of one table have one length; of another version of the format, one may be missing.
fn same_length(
    table: &str,
    (what, count): (&str, usize),
    (of, wanted): (&str, usize),
) -> Result<(), ImportError> {
    match count == wanted {
        true => Ok(()),
        false => Err(malformed(
            Defect::of(table),
            format!("{count} {what} do not fit its {wanted} {of}"),
        )),
    }
}

/// When each sample was, in milliseconds.
fn times(samples: &Samples) -> Vec<f64> {
    if let Some(times) = &samples.time {
        return times.clone();
    }
    let deltas = samples.time_deltas.as_deref().unwrap_or_default();
    let mut at = 0.0;
    let next = |delta: &f64| {
        at += *delta;
        at
    };
    deltas.iter().map(next).collect()
}

/// The tables that a thread uses: its own, else the shared ones.
struct Reading<'f> {
    file: &'f File,
    texts: Option<&'f Texts>,
    stacks: Option<&'f StackTable>,
    frames: Option<&'f FrameTable>,
    functions: Option<&'f FunctionTable>,
    resources: Option<&'f ResourceTable>,
    /// The frames that are known already.
    known: HashMap<usize, FrameId>,
    known_functions: HashMap<FunctionKey, FunctionId>,
    max_text_bytes: usize,
}

/// A function by its places in the tables of texts, libraries and categories. Tables of a small file may have millions
/// of functions with one long name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct FunctionKey {
    name: usize,
    file: Option<usize>,
    head_line: u32,
    library: Option<usize>,
    category: Option<usize>,
}

impl<'f> Reading<'f> {
    fn new(file: &'f File, thread: &'f Thread, limits: &Limits) -> Self {
        let shared = &file.shared;
        Self {
            file,
            texts: thread
                .string_array
                .as_ref()
                .or(shared.string_array.as_ref()),
            stacks: thread.stack_table.as_ref().or(shared.stack_table.as_ref()),
            frames: thread.frame_table.as_ref().or(shared.frame_table.as_ref()),
            functions: thread.func_table.as_ref().or(shared.func_table.as_ref()),
            resources: thread
                .resource_table
                .as_ref()
                .or(shared.resource_table.as_ref()),
            known: HashMap::new(),
            known_functions: HashMap::new(),
            max_text_bytes: limits.max_bytes,
        }
    }

    /// All stacks. A caller comes before its callees.
    fn stacks(&mut self, profile: &mut ForeignProfile) -> Result<Vec<StackId>, ImportError> {
        let Some(table) = self.stacks else {
            return Ok(Vec::new());
        };
        let (callers, frames) = (table.prefix.0.len(), table.frame.0.len());
        same_length("stackTable", ("callers", callers), ("stacks", frames))?;
        let mut stacks = Vec::with_capacity(table.frame.0.len());
        for at in 0..table.frame.0.len() {
            let missing = |what: &str| {
                let what = format!("stack {at} has no {what}");
                malformed(Defect::at("stackTable", at), what)
            };
            let caller = match table.prefix.get(at) {
                None => ProfileBuilder::EMPTY,
                Some(caller) => *stacks
                    .get(caller)
                    .ok_or_else(|| missing("caller before it"))?,
            };
            let frame = table.frame.get(at).ok_or_else(|| missing("frame"))?;
            let frame = self.frame(profile, frame)?;
            stacks.push(profile.call(caller, frame));
        }
        Ok(stacks)
    }

    fn frame(&mut self, profile: &mut ForeignProfile, at: usize) -> Result<FrameId, ImportError> {
        if let Some(frame) = self.known.get(&at) {
            return Ok(*frame);
        }
        let missing = || {
            let what = format!("frame {at} has no function");
            malformed(Defect::at("frameTable", at), what)
        };
        let table = self.frames.ok_or_else(missing)?;
        let function = table.func.get(at).ok_or_else(missing)?;
        let function = self.function(profile, function, table.category.get(at))?;
        let frame = profile.place(function, line_of(&table.line, at));
        self.known.insert(at, frame);
        Ok(frame)
    }

    fn function(
        &mut self,
        profile: &mut ForeignProfile,
        at: usize,
        category: Option<usize>,
    ) -> Result<FunctionId, ImportError> {
        let missing = || {
            let what = format!("function {at} has no name");
            malformed(Defect::at("funcTable", at), what)
        };
        let table = self.functions.ok_or_else(missing)?;
        let resource = table.resource.get(at).zip(self.resources);
        let source = table.source.get(at).zip(self.file.shared.sources.as_ref());
        let source = source.and_then(|(at, sources)| sources.filename.get(at));
        let key = FunctionKey {
            name: table.name.get(at).ok_or_else(missing)?,
            file: table.file_name.get(at).or(source),
            head_line: line_of(&table.line_number, at),
            library: resource.and_then(|(at, resources)| resources.lib.get(at)),
            category,
        };
        if let Some(function) = self.known_functions.get(&key) {
            return Ok(*function);
        }
        let facts = self.facts(key).ok_or_else(missing)?;
        let function = profile.function(facts);
        self.known_functions.insert(key, function);
        match profile.text_bytes() > self.max_text_bytes {
            true => Err(ImportError::TooMany {
                what: "bytes of names",
                max: self.max_text_bytes,
            }),
            false => Ok(function),
        }
    }

    fn facts(&self, key: FunctionKey) -> Option<FunctionFacts> {
        let categories = &self.file.meta.categories;
        let category = key.category.and_then(|at| categories.get(at));
        let library = key.library.and_then(|at| self.file.libs.get(at));
        let object = library.map_or("", |library| match library.path.as_str() {
            "" => library.name.as_str(),
            path => path,
        });
        let name = self.text(key.name)?;
        let mut facts = facts_of(name, cut(object), category.map(|it| it.name.as_str()));
        if let Some(file) = key.file.and_then(|at| self.text(at)) {
            file.clone_into(&mut facts.file);
            facts.head_line = key.head_line;
        }
        Some(facts)
    }

    fn text(&self, at: usize) -> Option<&'f str> {
        self.texts?.get(at).map(cut)
    }
}

/// A line; 0 when not known.
fn line_of(lines: &Indices, at: usize) -> u32 {
    let line = lines.get(at).and_then(|line| u32::try_from(line).ok());
    line.unwrap_or(0)
}

/// A text, cut when it is too long.
fn cut(text: &str) -> &str {
    let mut end = text.len().min(MAX_TEXT_BYTES);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

/// What a function is, by its name, its library and the category of the frame: those of our own export name kinds.
fn facts_of(name: &str, object: &str, category: Option<&str>) -> FunctionFacts {
    // An address for which no symbol was found.
    let is_address = name
        .strip_prefix("0x")
        .is_some_and(|address| u64::from_str_radix(address, 16).is_ok());
    let symbol = if is_address { "" } else { name };
    let mut facts = match (category, object) {
        (Some("Kernel"), _) => return names::of_symbol(true, symbol, object),
        (_, "") => names::of_text(name),
        (_, object) => names::of_symbol(false, symbol, object),
    };
    match (category, facts.kind) {
        (Some("BIF"), FrameKind::Erlang) => facts.kind = FrameKind::Bif,
        (Some("NIF"), FrameKind::Native | FrameKind::Erlang) => facts.kind = FrameKind::Nif,
        (Some("JIT fragment"), FrameKind::Native) => facts.kind = FrameKind::Fragment,
        _ => {}
    }
    facts
}
