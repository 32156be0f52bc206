//! Notes on how functions were matched, and on profiles that name them otherwise.

use capture::visible::shown_name;

use crate::answer::FunctionChange;
use crate::counts::Counting;
use crate::matching::Unmatched;
use crate::note_words::in_words;
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
            notes.push(Note::of(NoteKind::OtherTool, &[&given.name, tool]));
        }
    }
    let without = all.iter().find(|given| given.lacks_classes());
    if let Some(given) = without.filter(|_| counting.ignores_classes) {
        notes.push(Note::of(NoteKind::WaitingCounts, &[&given.name]));
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
        let (kind, remedy) = match why {
            Unmatched::ArityChanged => (
                NoteKind::ArityChanged,
                ": record in the folder of the sources, or name it by --source-dir",
            ),
            Unmatched::NotToldApart => (NoteKind::NotToldApart, ""),
        };
        let text = in_words(kind, &[&count, &shown_name(first)]) + remedy;
        Some(Note::new(kind, &[&count, first], text))
    };
    let reasons = [Unmatched::ArityChanged, Unmatched::NotToldApart];
    reasons.into_iter().filter_map(note).collect()
}
