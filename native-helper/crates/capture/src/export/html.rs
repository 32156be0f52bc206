//! A flame graph as one HTML file: it opens without a network, and nothing of a capture is markup.

use std::collections::HashMap;
use std::io::{self, Write};

use serde::Serialize;

use crate::counted::counted;
use crate::reader::Capture;
use crate::sample::FrameKind;
use crate::visible::visible;

const STYLE: &str = include_str!("html/page.css");
const SCRIPT: &str = include_str!("html/page.js");
/// What the page may load: nothing but what is in it.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; \
                      base-uri 'none'; form-action 'none'";

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
    let data = data(capture);
    let json = serde_json::to_string(&data).map_err(io::Error::from)?;
    let title = escaped(&visible(name));
    write!(
        out,
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<main>\n\
         <h1>{title}</h1>\n<p class=\"facts\">{facts}</p>\n<div class=\"tools\">\n\
         <label for=\"search\">Search</label>\n<input id=\"search\" type=\"search\" autocomplete=\"off\">\n\
         <button id=\"out\" type=\"button\">Show all</button>\n</div>\n\
         <p class=\"keys\">Arrow keys move, Enter zooms in, Backspace one out, Escape shows all, / searches, n goes to the next match.</p>\n\
         <div id=\"graph\" role=\"tree\" aria-label=\"Flame graph, callers above what they call\"></div>\n\
         <p id=\"said\" role=\"status\"></p>\n</main>\n\
         <script type=\"application/json\" id=\"data\">{json}</script>\n\
         <script>\n{SCRIPT}</script>\n</body>\n</html>\n",
        facts = escaped(&facts(capture)),
        json = within_script(&json),
    )
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

/// For text and quoted attributes.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            c => escaped.push(c),
        }
    }
    escaped
}

/// JSON inside an element `script`: whatever a function is called, it neither ends the element nor
/// begins a comment. These characters are in strings only.
fn within_script(json: &str) -> String {
    json.replace('<', "\\u003c")
        .replace('>', "\\u003e")
        .replace('&', "\\u0026")
        .replace('\u{2028}', "\\u2028")
        .replace('\u{2029}', "\\u2029")
}
