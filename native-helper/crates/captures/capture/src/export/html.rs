//! A flame graph of one capture as one HTML file.

use std::io::{self, Write};

use serde::Serialize;
use shared_map::HashMap;

use crate::class_split::{ClassSplit, class_split};
use crate::flame_page::{FlamePage, Markup, Script};
use crate::percent_of::{PercentOf, column_text, totals_text};
use crate::reader::Capture;
use crate::sample::FrameKind;
use crate::visible::visible;

/// Hands the samples to the graph.
const SCRIPT: Script = Script {
    text: include_str!("html/samples.js"),
    hash: "sha256-UTChoBkgj3qYs4gkqDumypnQt4Rsg9W91c9Zgf5Ftwg=",
};

/// The data of the page. A node's parent comes before it; node 0 is the root.
#[derive(Debug, Serialize)]
struct Data<'c> {
    names: Vec<String>,
    kinds: Vec<&'static str>,
    parents: Vec<u32>,
    functions: Vec<u32>,
    #[serde(rename = "self")]
    own: Vec<u64>,
    unit: &'c str,
    /// What shares are of.
    of: &'c str,
}

/// Writes the page; `name` is its title. Samples that are no part of `percent_of` are not in the graph.
///
/// # Errors
/// Those of the writer.
pub fn write_html(
    capture: &Capture,
    name: &str,
    percent_of: PercentOf,
    mut out: impl Write,
) -> io::Result<()> {
    let split = class_split(capture);
    let percent_of = percent_of.within(&split);
    let unit = capture.unit_or_samples();
    let page = FlamePage {
        title: name,
        facts: &facts(capture, &split, percent_of, &unit),
        above: Markup::default(),
        tools: Markup::default(),
        data: &data(capture, percent_of, &unit),
        script: SCRIPT,
    };
    out.write_all(page.html()?.as_bytes())
}

/// The facts above the graph.
fn facts(capture: &Capture, split: &ClassSplit, percent_of: PercentOf, unit: &str) -> String {
    let mut facts = format!(
        "{}, shares of {} {}",
        totals_text(split, unit),
        percent_of.as_str(),
        column_text(unit)
    );
    if let Some(target) = capture.target() {
        let parts = [
            ("OTP ", &target.otp_release),
            ("", &target.node),
            ("host ", &target.host),
        ];
        for (before, text) in parts.into_iter().filter(|(_, text)| !text.is_empty()) {
            facts += &format!(", {before}{}", visible(text));
        }
    }
    for heading in capture.headings() {
        facts += &format!("; {heading}");
    }
    facts
}

fn data<'u>(capture: &Capture, percent_of: PercentOf, unit: &'u str) -> Data<'u> {
    // Functions of one name and kind are one here: lines and files are not shown.
    let mut known: HashMap<(&str, FrameKind), u32> = HashMap::new();
    let mut data = Data {
        names: vec!["all".to_owned()],
        kinds: vec![FrameKind::Marker.as_str()],
        parents: vec![0],
        functions: vec![0],
        own: vec![0],
        unit,
        of: percent_of.as_str(),
    };
    let function_of: Vec<u32> = capture
        .function_indices()
        .map(|index| {
            let view = capture.function(index);
            let next = data.names.len() as u32;
            let id = *known.entry((view.name, view.kind)).or_insert(next);
            if id == next {
                data.names.push(visible(view.name).into_owned());
                data.kinds.push(view.kind.as_str());
            }
            id
        })
        .collect();
    let mut counts = vec![0_u64; capture.stack_count()];
    let samples = capture.samples().iter();
    for sample in samples.filter(|it| percent_of.counts(&capture.labels(it.labels))) {
        if let Some(count) = counts.get_mut(sample.stack.as_usize()) {
            *count = count.saturating_add(capture.amount(sample));
        }
    }
    let mut children: HashMap<(u32, u32), u32> = HashMap::new();
    for (stack, count) in counts
        .into_iter()
        .enumerate()
        .filter(|(_, count)| *count > 0)
    {
        let mut at = 0_u32;
        for frame in capture
            .frames(crate::reader::StackIndex(stack as u32))
            .rev()
        {
            let function = function_of
                .get(frame.function.as_usize())
                .copied()
                .unwrap_or(0);
            let next = data.parents.len() as u32;
            let node = *children.entry((at, function)).or_insert(next);
            if node == next {
                data.parents.push(at);
                data.functions.push(function);
                data.own.push(0);
            }
            at = node;
        }
        if let Some(own) = data.own.get_mut(at as usize) {
            *own = own.saturating_add(count);
        }
    }
    data
}
