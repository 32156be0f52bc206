//! Notes on how functions were matched, and on profiles that name them otherwise.

use capture::visible::shown_name;

use crate::answer::FunctionChange;
use crate::counts::Counting;
use crate::matching::Unmatched;
use crate::notes::{Note, NoteKind};
use crate::side::{CaptureToCompare, Side};

/// Captures of other tools, and the consequences.
pub fn tool_notes(base: &Side<'_>, new: &Side<'_>, counting: Counting) -> Vec<Note> {
    let all: Vec<&CaptureToCompare<'_>> = base.captures.iter().chain(&new.captures).collect();
    let tools: Vec<Option<String>> = all.iter().map(|given| given.other_tool()).collect();
    let mut notes = Vec::new();
    if tools.iter().any(|tool| *tool != tools[0]) {
        for (given, tool) in all.iter().zip(&tools) {
            let Some(tool) = tool else { continue };
            let of_tool = match tool.as_str() {
                "" => "of another tool".to_owned(),
                tool => format!("of another tool ({tool})"),
            };
            let name = given.name.as_str();
            let text = format!(
                "{name} is {of_tool}: frames that tools omit from stacks, as perf omits Erlang code below C code, count as a change here"
            );
            notes.push(Note::new(NoteKind::OtherTool, &[name, tool], text));
        }
    }
    let without = all.iter().find(|given| !given.has_classes());
    if let Some(given) = without.filter(|_| counting.ignores_classes) {
        let name = given.name.as_str();
        let text =
            format!("{name} does not separate waiting from work: waiting counts on both sides");
        notes.push(Note::new(NoteKind::WaitingCounts, &[name], text));
    }
    notes
}

/// Functions without a known counterpart on the other side.
pub fn unmatched_notes(functions: &[FunctionChange]) -> Vec<Note> {
    let note = |why: Unmatched| {
        let unmatched = functions.iter().filter(|it| it.unmatched == Some(why));
        let names: Vec<&str> = unmatched.map(|it| it.function.as_str()).collect();
        let first = names.first()?;
        let count = names.len().to_string();
        let shown = shown_name(first);
        let subject = match names.len() {
            1 => format!("{shown} is not matched"),
            _ => format!("{count} functions are not matched ({shown} among them)"),
        };
        let (kind, because) = match why {
            Unmatched::ArityChanged => (
                NoteKind::ArityChanged,
                "several of one name have other arities on the other side, and the texts of both commits, which could identify them, are unavailable or inconclusive: record in the folder of the sources, or name it by --source-dir",
            ),
            Unmatched::NotToldApart => (
                NoteKind::NotToldApart,
                "several functions have the same name, and one side has nothing else to distinguish them",
            ),
        };
        Some(Note::new(
            kind,
            &[&count, first],
            format!("{subject}: {because}"),
        ))
    };
    let reasons = [Unmatched::ArityChanged, Unmatched::NotToldApart];
    reasons.into_iter().filter_map(note).collect()
}
