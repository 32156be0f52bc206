//! Notes on work that was counted.

use std::collections::BTreeSet;

use capture::sample_types::CPU;
use capture::work::NotCounted;
use shared_sort::Inserted;

use crate::measure::Measure;
use crate::notes::{Note, NoteKind};
use crate::side::{CaptureToCompare, Side};

/// Loads that differ by less are as good as one.
const SAME_LOAD: f64 = 1.1;

/// Why work is not compared where it was counted, and whether there was more to do on one side.
pub fn work_notes(base: &Side<'_>, new: &Side<'_>, measure: Measure) -> Vec<Note> {
    let all = || base.captures.iter().chain(&new.captures);
    // Samples of another type than processor time are compared by shares alone, so that no work is their base.
    if all().any(|given| given.capture.shown() != CPU) {
        return Vec::new();
    }
    let mut notes: Vec<Note> = all().filter_map(why_not_used).collect();
    let names: BTreeSet<String> = all()
        .filter_map(|given| Some(given.known_work()?.name))
        .inserted();
    let has_none = all().filter(|given| given.work().is_none()).count();
    if has_none > 0 && has_none < all().count() {
        notes.push(Note::of(NoteKind::WorkPartly, &[]));
    }
    let mut names = names.iter();
    if let (Some(one), Some(other)) = (names.next(), names.next()) {
        notes.push(Note::of(NoteKind::WorkDiffers, &[one, other]));
    } else if measure == Measure::Cpu {
        notes.extend(load_note(base, new));
    }
    notes
}

fn why_not_used(given: &CaptureToCompare<'_>) -> Option<Note> {
    let why = given.work()?.err()?;
    let capture = given.name.as_str();
    Some(match &why {
        NotCounted::NoEnd { name } => Note::of(NoteKind::WorkCut, &[capture, name]),
        NotCounted::NotRead { name, why } => Note::of(NoteKind::WorkNotRead, &[capture, name, why]),
        NotCounted::Backwards {
            name,
            at_start,
            at_end,
        } => {
            let (from, to) = (at_start.to_string(), at_end.to_string());
            Note::of(NoteKind::WorkBackwards, &[capture, name, &from, &to])
        }
        NotCounted::Nothing { name, .. } => Note::of(NoteKind::WorkStoodStill, &[capture, name]),
    })
}

/// Processor time each second needs the same load on both sides.
fn load_note(base: &Side<'_>, new: &Side<'_>) -> Option<Note> {
    let (a, b) = (load(base)?, load(new)?);
    let name = base.captures.first()?.known_work()?.name;
    let differs = a / b > SAME_LOAD || b / a > SAME_LOAD;
    let (a, b) = (format!("{a:.1}"), format!("{b:.1}"));
    differs.then(|| Note::of(NoteKind::Load, &[&a, &name, &b]))
}

/// Units each second.
fn load(side: &Side<'_>) -> Option<f64> {
    let units: Option<f64> = side
        .captures
        .iter()
        .map(|given| Some(given.known_work()?.units))
        .sum();
    let seconds: f64 = side.captures.iter().map(CaptureToCompare::seconds).sum();
    units
        .map(|units| units / seconds)
        .filter(|load| load.is_finite() && *load > 0.0)
}
