//! A flame graph of one capture as one HTML file.

use std::collections::HashMap;
use std::io::{self, Write};

use serde::Serialize;

use crate::counted::counted;
use crate::flame_page::{FlamePage, Markup, Script};
use crate::reader::Capture;
use crate::sample::FrameKind;
use crate::visible::visible;

/// Hands the samples to the graph.
const SCRIPT: Script = Script {
    text: include_str!("html/samples.js"),
    hash: "sha256-7HvBEbI1ZpSN0L/H5sVObdF7bWaZr+6Rhd6Sj66Hoi4=",
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
}

/// Writes the page; `name` is its title.
///
/// # Errors
/// Those of the writer.
pub fn write_html(capture: &Capture, name: &str, mut out: impl Write) -> io::Result<()> {
    let page = FlamePage {
        title: name,
        facts: &facts(capture),
        above: Markup::default(),
        tools: Markup::default(),
        data: &data(capture),
        script: SCRIPT,
    };
    out.write_all(page.html()?.as_bytes())
}

/// What is said above the graph.
fn facts(capture: &Capture) -> String {
    let mut facts = counted(capture.total_samples(), "sample");
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
    if let Some(missing) = capture.kernel_time().and_then(|it| it.heading()) {
        facts += &format!("; {missing}");
    }
    facts
}

fn data(capture: &Capture) -> Data<'static> {
    // Functions of one name and kind are one here: lines and files are not shown.
    let mut known: HashMap<(&str, FrameKind), u32> = HashMap::new();
    let mut data = Data {
        names: vec!["all".to_owned()],
        kinds: vec![FrameKind::Marker.as_str()],
        parents: vec![0],
        functions: vec![0],
        own: vec![0],
        unit: "samples",
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
    for sample in capture.samples() {
        if let Some(count) = counts.get_mut(sample.stack.as_usize()) {
            *count = count.saturating_add(sample.count);
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
