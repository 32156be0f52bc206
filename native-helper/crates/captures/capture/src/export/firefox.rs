//! The JSON of the Firefox Profiler: a thread for each thread, its samples in order of time.
//!
//! Written is version 48 of its processed format, of 2023, in which each thread has its own tables.
//! Later versions of the profiler upgrade it when they open it.

use std::collections::BTreeMap;
use std::io::{self, Write};

use serde_json::{Value, json};
use shared_map::HashMap;
use shared_sort::SharedSort;

use crate::reader::{Capture, Frame, FunctionView, Sample};
use crate::sample::FrameKind;
use crate::sample_types::{Figures, SampleType};

const FORMAT_VERSION: u32 = 48;
/// Of the profiles that Firefox itself makes, which this version was made from.
const GECKO_VERSION: u32 = 24;
/// Kinds of code as categories, each with one of the colours that the profiler knows.
const CATEGORIES: [(FrameKind, &str, &str); 7] = [
    (FrameKind::Erlang, "Erlang", "yellow"),
    (FrameKind::Bif, "BIF", "orange"),
    (FrameKind::Fragment, "JIT fragment", "lightgreen"),
    (FrameKind::Native, "C runtime", "blue"),
    (FrameKind::Nif, "NIF", "purple"),
    (FrameKind::Kernel, "Kernel", "green"),
    (FrameKind::Marker, "Other", "grey"),
];

/// Writes the capture; `name` is the title shown.
///
/// # Errors
/// Those of the writer.
pub fn write_firefox(capture: &Capture, name: &str, mut out: impl Write) -> io::Result<()> {
    let mut by_thread: BTreeMap<(u32, &str), Vec<&Sample>> = BTreeMap::new();
    for sample in capture.samples() {
        let labels = capture.labels(sample.labels);
        let thread = (
            labels.thread_id.unwrap_or(0),
            labels.thread_name.unwrap_or(name),
        );
        by_thread.entry(thread).or_default().push(sample);
    }
    let pid = capture.target().map_or(0, |target| target.pid);
    let threads: Vec<Value> = by_thread
        .into_iter()
        .map(|((id, thread), samples)| Thread::new(capture).written(thread, id, pid, name, samples))
        .collect();
    let categories: Vec<Value> = CATEGORIES
        .iter()
        .map(|(_, name, color)| json!({ "name": name, "color": color, "subcategories": ["Other"] }))
        .collect();
    let file = json!({
        "meta": {
            "preprocessedProfileVersion": FORMAT_VERSION,
            "version": GECKO_VERSION,
            "product": name,
            "importedFrom": "extrospect",
            "interval": (capture.period_ns() as f64 / 1e6).max(0.001),
            "startTime": capture.started_unix_ns() as f64 / 1e6,
            "processType": 0,
            "stackwalk": 1,
            "debug": false,
            "symbolicated": true,
            "usesOnlyOneStackType": true,
            "doesNotUseFrameImplementation": true,
            "sourceCodeIsNotOnSearchfox": true,
            "categories": categories,
            "markerSchema": [],
            "extensions": { "id": [], "name": [], "baseURL": [], "length": 0 },
        },
        "libs": [],
        "pages": [],
        "threads": threads,
    });
    serde_json::to_writer(&mut out, &file).map_err(io::Error::from)?;
    out.flush()
}

/// The kind of weights that a type has there, and how much of its figures is one of them.
fn weight_type(shown: &SampleType) -> (&'static str, u64) {
    match (shown.figures, shown.value[1]) {
        (Figures::Value, "nanoseconds") => ("tracing-ms", 1_000_000),
        (Figures::Value, "bytes") => ("bytes", 1),
        _ => ("samples", 1),
    }
}

/// Whole where it can be.
fn json_number(amount: u64, each: u64) -> Value {
    match amount % each {
        0 => json!(amount / each),
        _ => json!(amount as f64 / each as f64),
    }
}

/// The tables of one thread.
struct Thread<'c> {
    capture: &'c Capture,
    strings: HashMap<&'c str, usize>,
    string_list: Vec<&'c str>,
    functions: HashMap<usize, usize>,
    function_views: Vec<(FunctionView<'c>, usize, Option<usize>)>,
    frames: HashMap<(usize, u32), usize>,
    /// Function, its category, line.
    frame_list: Vec<(usize, usize, u32)>,
    stacks: HashMap<(Option<usize>, usize), usize>,
    /// Caller and frame.
    stack_list: Vec<(Option<usize>, usize)>,
}

impl<'c> Thread<'c> {
    fn new(capture: &'c Capture) -> Self {
        Self {
            capture,
            strings: HashMap::new(),
            string_list: Vec::new(),
            functions: HashMap::new(),
            function_views: Vec::new(),
            frames: HashMap::new(),
            frame_list: Vec::new(),
            stacks: HashMap::new(),
            stack_list: Vec::new(),
        }
    }

    fn string(&mut self, text: &'c str) -> usize {
        let next = self.string_list.len();
        let id = *self.strings.entry(text).or_insert(next);
        if id == next {
            self.string_list.push(text);
        }
        id
    }

    fn frame(&mut self, frame: Frame) -> usize {
        let view = self.capture.function(frame.function);
        let next = self.function_views.len();
        let known = self.functions.get(&frame.function.as_usize()).copied();
        let function = known.unwrap_or_else(|| {
            let name = self.string(view.name);
            let file = (!view.file.is_empty()).then(|| self.string(view.file));
            self.functions.insert(frame.function.as_usize(), next);
            self.function_views.push((view, name, file));
            next
        });
        let category = CATEGORIES.iter().position(|(kind, ..)| *kind == view.kind);
        let next = self.frame_list.len();
        let id = *self.frames.entry((function, frame.line)).or_insert(next);
        if id == next {
            self.frame_list.push((
                function,
                category.unwrap_or(CATEGORIES.len() - 1),
                frame.line,
            ));
        }
        id
    }

    fn stack(&mut self, sample: &Sample) -> Option<usize> {
        let capture = self.capture;
        let mut caller = None;
        for frame in capture.frames(sample.stack).rev() {
            let frame = self.frame(frame);
            let next = self.stack_list.len();
            let id = *self.stacks.entry((caller, frame)).or_insert(next);
            if id == next {
                self.stack_list.push((caller, frame));
            }
            caller = Some(id);
        }
        caller
    }

    fn written(
        mut self,
        name: &str,
        id: u32,
        pid: u32,
        process: &str,
        mut samples: Vec<&Sample>,
    ) -> Value {
        samples.shared_sort_by_key(|sample| sample.bucket_ms);
        let stacks: Vec<_> = samples.iter().map(|sample| self.stack(sample)).collect();
        let times: Vec<u64> = samples.iter().map(|sample| sample.bucket_ms).collect();
        let (weight_type, each) = weight_type(&self.capture.shown());
        let weight = |sample: &&Sample| json_number(self.capture.amount(sample), each);
        let weights: Vec<Value> = samples.iter().map(weight).collect();
        json!({
            "processType": "default",
            "processName": process,
            "processStartupTime": 0,
            "processShutdownTime": null,
            "registerTime": 0,
            "unregisterTime": null,
            "pausedRanges": [],
            "name": name,
            "isMainThread": false,
            "pid": pid.to_string(),
            "tid": id,
            "samples": {
                "length": samples.len(),
                "stack": stacks,
                "time": times,
                "weight": weights,
                "weightType": weight_type,
            },
            "markers": {
                "length": 0, "data": [], "name": [], "startTime": [], "endTime": [], "phase": [],
                "category": [],
            },
            "stackTable": self.stack_table(),
            "frameTable": self.frame_table(),
            "funcTable": self.function_table(),
            "resourceTable": { "length": 0, "lib": [], "name": [], "host": [], "type": [] },
            "nativeSymbols": {
                "length": 0, "address": [], "functionSize": [], "libIndex": [], "name": [],
            },
            "stringArray": self.string_list,
        })
    }

    fn stack_table(&self) -> Value {
        let category = |(_, frame): &(_, usize)| self.frame_list.get(*frame).map(|it| it.1);
        json!({
            "length": self.stack_list.len(),
            "prefix": self.stack_list.iter().map(|(caller, _)| *caller).collect::<Vec<_>>(),
            "frame": self.stack_list.iter().map(|(_, frame)| *frame).collect::<Vec<_>>(),
            "category": self.stack_list.iter().map(category).collect::<Vec<_>>(),
            "subcategory": vec![0; self.stack_list.len()],
        })
    }

    fn frame_table(&self) -> Value {
        let length = self.frame_list.len();
        let none = vec![Value::Null; length];
        let line = |(_, _, line): &(_, _, u32)| Some(*line).filter(|line| *line != 0);
        json!({
            "length": length,
            "address": vec![-1; length],
            "inlineDepth": vec![0; length],
            "category": self.frame_list.iter().map(|it| it.1).collect::<Vec<_>>(),
            "subcategory": vec![0; length],
            "func": self.frame_list.iter().map(|it| it.0).collect::<Vec<_>>(),
            "nativeSymbol": none,
            "innerWindowID": vec![0; length],
            "implementation": none,
            "line": self.frame_list.iter().map(line).collect::<Vec<_>>(),
            "column": none,
            "optimizations": none,
        })
    }

    fn function_table(&self) -> Value {
        let length = self.function_views.len();
        let line =
            |(view, ..): &(FunctionView<'_>, _, _)| Some(view.head_line).filter(|line| *line != 0);
        json!({
            "length": length,
            "name": self.function_views.iter().map(|it| it.1).collect::<Vec<_>>(),
            "isJS": vec![false; length],
            "relevantForJS": vec![false; length],
            "resource": vec![-1; length],
            "fileName": self.function_views.iter().map(|it| it.2).collect::<Vec<_>>(),
            "lineNumber": self.function_views.iter().map(line).collect::<Vec<_>>(),
            "columnNumber": vec![Value::Null; length],
        })
    }
}
