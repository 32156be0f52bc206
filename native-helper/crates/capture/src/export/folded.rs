//! Folded stacks, as flame graph tools read them: `root;...;leaf count`.

use std::collections::BTreeMap;
use std::io::{self, Write};

use crate::reader::Capture;
use crate::visible::visible;

/// Writes one line for each different stack, in alphabetical order. A semicolon in a name,
/// which would change the meaning of the line, becomes a colon; line breaks and whatever else is
/// obeyed rather than shown are written out.
///
/// # Errors
/// Those of the writer.
pub fn write_folded(capture: &Capture, mut out: impl Write) -> io::Result<()> {
    let mut counts = vec![0u64; capture.stack_count()];
    for sample in capture.samples() {
        if let Some(count) = counts.get_mut(sample.stack.as_usize()) {
            *count = count.saturating_add(sample.count);
        }
    }
    // Stacks that differ in lines only are one here.
    let mut lines: BTreeMap<String, u64> = BTreeMap::new();
    for (index, count) in counts
        .into_iter()
        .enumerate()
        .filter(|(_, count)| *count > 0)
    {
        let frames = capture
            .frames(crate::reader::StackIndex(index as u32))
            .rev();
        let names: Vec<_> = frames
            .map(|frame| clean(capture.function(frame.function).name))
            .collect();
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

fn clean(name: &str) -> String {
    visible(name).replace(';', ":")
}
