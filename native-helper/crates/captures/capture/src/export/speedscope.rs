//! The JSON of speedscope: one profile for each thread, its samples in order of time.

use std::collections::BTreeMap;
use std::io::{self, Write};

use serde::Serialize;
use shared_sort::SharedSort;

use crate::reader::{Capture, Sample};

const SCHEMA: &str = "https://www.speedscope.app/file-format-schema.json";

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct File<'a> {
    #[serde(rename = "$schema")]
    schema: &'static str,
    exporter: &'static str,
    name: &'a str,
    active_profile_index: usize,
    shared: Shared<'a>,
    profiles: Vec<Profile>,
}

#[derive(Serialize)]
struct Shared<'a> {
    frames: Vec<SharedFrame<'a>>,
}

#[derive(Serialize)]
struct SharedFrame<'a> {
    name: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    file: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u32>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Profile {
    r#type: &'static str,
    name: String,
    unit: &'static str,
    start_value: u64,
    end_value: u64,
    samples: Vec<Vec<usize>>,
    weights: Vec<u64>,
}

/// Writes the capture; `name` is the title shown. Weights are what samples of the type that is shown stand for, such as
/// CPU time, when the capture knows it, else numbers of samples.
///
/// # Errors
/// Those of the writer.
pub fn write_speedscope(capture: &Capture, name: &str, out: impl Write) -> io::Result<()> {
    let frames = capture
        .function_indices()
        .map(|index| capture.function(index))
        .map(|view| SharedFrame {
            name: view.name,
            file: view.file,
            line: Some(view.head_line).filter(|line| *line != 0),
        })
        .collect();
    let mut threads: BTreeMap<String, Vec<&Sample>> = BTreeMap::new();
    for sample in capture.samples() {
        let labels = capture.labels(sample.labels);
        let thread = match (labels.thread_name, labels.thread_id) {
            (Some(name), Some(id)) => format!("{name} ({id})"),
            (Some(name), None) => name.to_owned(),
            (None, Some(id)) => format!("thread {id}"),
            (None, None) => name.to_owned(),
        };
        threads.entry(thread).or_default().push(sample);
    }
    let has_values = capture.samples().iter().any(|sample| sample.value > 0);
    let file = File {
        schema: SCHEMA,
        exporter: concat!("extrospect ", env!("CARGO_PKG_VERSION")),
        name,
        active_profile_index: 0,
        shared: Shared { frames },
        profiles: threads
            .into_iter()
            .map(|(thread, samples)| profile(capture, thread, samples, has_values))
            .collect(),
    };
    let mut out = out;
    serde_json::to_writer(&mut out, &file).map_err(io::Error::from)?;
    out.flush()
}

fn profile(
    capture: &Capture,
    name: String,
    mut samples: Vec<&Sample>,
    has_values: bool,
) -> Profile {
    samples.shared_sort_by_key(|sample| sample.bucket_ms);
    let weights: Vec<u64> = samples
        .iter()
        .map(|sample| match has_values {
            true => sample.value,
            false => sample.count,
        })
        .collect();
    let stack = |sample: &&Sample| {
        capture
            .frames(sample.stack)
            .rev()
            .map(|frame| frame.function.as_usize())
            .collect()
    };
    Profile {
        r#type: "sampled",
        name,
        // The format has the same names of units, and none of a count.
        unit: match (has_values, capture.shown().value[1]) {
            (true, unit) if unit != "count" => unit,
            _ => "none",
        },
        start_value: 0,
        end_value: weights
            .iter()
            .fold(0, |sum, weight| sum.saturating_add(*weight)),
        samples: samples.iter().map(stack).collect(),
        weights,
    }
}
