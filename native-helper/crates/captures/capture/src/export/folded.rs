//! Folded stacks, as flame graph tools read them: `root;...;leaf count`. With places, a frame is
//! `name (file:line)` where file and line are known, as several samplers write it.

use std::collections::BTreeMap;
use std::io::{self, Write};

use crate::reader::{Capture, Frame};
use crate::visible::visible;

/// Whether frames have their places.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Places {
    /// Names alone: stacks that differ in lines only are one.
    Without,
    /// With file and line where they are known.
    FileAndLine,
}

/// Writes one line for each different stack, in alphabetical order. A semicolon in a name,
/// which would change the meaning of the line, becomes a colon; line breaks and whatever else is
/// obeyed rather than shown are written out.
///
/// # Errors
/// Those of the writer.
pub fn write_folded(capture: &Capture, places: Places, mut out: impl Write) -> io::Result<()> {
    let mut counts = vec![0u64; capture.stack_count()];
    for sample in capture.samples() {
        if let Some(count) = counts.get_mut(sample.stack.as_usize()) {
            *count = count.saturating_add(capture.amount(sample));
        }
    }
    // Stacks that look the same are one here.
    let mut lines: BTreeMap<String, u64> = BTreeMap::new();
    for (index, count) in counts
        .into_iter()
        .enumerate()
        .filter(|(_, count)| *count > 0)
    {
        let frames = capture
            .frames(crate::reader::StackIndex(index as u32))
            .rev();
        let names: Vec<_> = frames.map(|frame| shown(capture, frame, places)).collect();
        let line = if names.is_empty() {
            "[no stack]".to_owned()
        } else {
            names.join(";")
        };
        let total = lines.entry(line).or_default();
        *total = total.saturating_add(count);
    }
    for (stack, count) in lines {
        writeln!(out, "{stack} {count}")?;
    }
    Ok(())
}

fn shown(capture: &Capture, frame: Frame, places: Places) -> String {
    let function = capture.function(frame.function);
    let name = folded_name(function.name);
    match places {
        Places::FileAndLine if frame.line != 0 && !function.file.is_empty() => {
            format!("{name} ({}:{})", folded_name(function.file), frame.line)
        }
        _ => name,
    }
}

/// A name as folded stacks have it.
pub fn folded_name(name: &str) -> String {
    visible(name).replace(';', ":")
}
