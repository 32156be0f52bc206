//! Whether time in the kernel is in the captures of both sides. Where it is in some alone, no share of
//! the one compares with a share of the other: functions that call the kernel look cheaper, and all
//! others more expensive.

use capture::kernel_time::KernelTime;

use crate::fact_of_group::FactOfGroup;
use crate::notes::{Note, NoteKind};
use crate::refusal::Refusal;
use crate::side::{CaptureToCompare, Side};

/// Refuses captures of which some have time in the kernel and others do not. Captures that do not
/// record it, from older helpers and other tools, are never refused for it.
///
/// # Errors
/// [`Refusal::KernelTime`].
pub fn check_kernel_time(base: &Side<'_>, new: &Side<'_>) -> Result<(), Refusal> {
    let first =
        |has: bool| captures(base, new).find(|it| it.capture.has_kernel_time() == Some(has));
    match (first(true), first(false)) {
        (Some(with), Some(without)) => Err(Refusal::KernelTime {
            with: with.name.clone(),
            without: without.name.clone(),
        }),
        _ => Ok(()),
    }
}

/// Whether time in the kernel is in all captures of a side, or in none. `None` where a capture does not contain that, and
/// where they differ.
pub fn kernel_time_of(side: &Side<'_>) -> Option<bool> {
    let each = side.captures.iter();
    let each = each.map(|it| (it.name.as_str(), it.capture.has_kernel_time()));
    let of_side = FactOfGroup {
        name: &side.name,
        each: each.collect(),
    };
    of_side.of_all()
}

/// That time in the kernel is known of some captures of two groups alone: the names of the groups where it is known of all
/// of one and not of the other, else the names of captures.
pub fn kernel_time_between(base: &FactOfGroup<'_>, new: &FactOfGroup<'_>) -> Option<Note> {
    let (known, has, unknown) = match (base.of_all(), new.of_all()) {
        (Some(has), None) => (base.name, has, new.name),
        (None, Some(has)) => (new.name, has, base.name),
        (Some(_), Some(_)) => return None,
        (None, None) => {
            let first = |fact| base.first(fact).or_else(|| new.first(fact));
            let (with, unknown) = (first(Some(true)), first(None)?);
            let known = with.or_else(|| first(Some(false)))?;
            (known, with.is_some(), unknown)
        }
    };
    Some(match has {
        true => Note::of(NoteKind::KernelTimeNotRecorded, &[unknown, known]),
        false => Note::of(NoteKind::KernelTimeUnknown, &[known, unknown, ""]),
    })
}

/// The notes on time in the kernel where it was not refused.
pub fn kernel_time_notes(base: &Side<'_>, new: &Side<'_>) -> Vec<Note> {
    let named =
        |has: Option<bool>| captures(base, new).find(move |it| it.capture.has_kernel_time() == has);
    let (with, unknown) = (named(Some(true)), named(None));
    let Some(without) = named(Some(false)) else {
        let both = unknown.zip(with);
        let note = both.map(|(unknown, with)| {
            let names = [unknown, with].map(|it| it.name.as_str());
            Note::of(NoteKind::KernelTimeNotRecorded, &names)
        });
        return note.into_iter().collect();
    };
    let (kind, other) = match (with, unknown) {
        (Some(with), _) => (NoteKind::KernelTimeOnOneSide, Some(with)),
        (None, Some(unknown)) => (NoteKind::KernelTimeUnknown, Some(unknown)),
        (None, None) => (NoteKind::NoKernelTime, None),
    };
    let missing = captures(base, new)
        .filter_map(|it| it.capture.kernel_time())
        .filter_map(|it: KernelTime| it.missing_pct())
        .max();
    let least = missing.map_or_else(String::new, |pct| pct.to_string());
    let (name, other) = (
        without.name.as_str(),
        other.map_or("", |it| it.name.as_str()),
    );
    vec![Note::of(kind, &[name, other, &least])]
}

fn captures<'s>(
    base: &'s Side<'s>,
    new: &'s Side<'s>,
) -> impl Iterator<Item = &'s CaptureToCompare<'s>> {
    base.captures.iter().chain(&new.captures)
}
