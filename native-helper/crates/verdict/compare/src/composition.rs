//! The composition of a side: captures of one program, each once.

use std::collections::{BTreeMap, BTreeSet};

use capture::facts::OriginFacts;
use capture::reader::{Capture, StackIndex};

use crate::notes::{Note, NoteKind};
use crate::project::Project;
use crate::refusal::Refusal;
use crate::side::{CaptureToCompare, Side, name_of_captures};
use crate::version::short_commit;

/// Load averages that differ by less are as good as one.
const SAME_LOAD: f64 = 2.0;

/// Both sides with each capture once, and the names of those that were given more than once.
pub fn counted_once<'a>(base: &Side<'a>, new: &Side<'a>) -> (Side<'a>, Side<'a>, Vec<String>) {
    let mut twice = Vec::new();
    let mut once = |side: &Side<'a>| {
        let mut captures: Vec<CaptureToCompare<'a>> = Vec::new();
        for given in &side.captures {
            match captures.iter().any(|kept| is_same(kept, given)) {
                true => twice.push(given.name.clone()),
                false => captures.push(given.clone()),
            }
        }
        Side {
            name: name_of_kept(side, &captures),
            captures,
        }
    };
    let (base, new) = (once(base), once(new));
    (base, new, twice)
}

/// The name of a side with these captures left: the names of those that count, where the captures gave
/// the side its name.
fn name_of_kept(side: &Side<'_>, kept: &[CaptureToCompare<'_>]) -> String {
    let named = |captures: &[CaptureToCompare<'_>]| {
        let names: Vec<&str> = captures.iter().map(|given| given.name.as_str()).collect();
        name_of_captures(&names)
    };
    match side.name == named(&side.captures) {
        true => named(kept),
        false => side.name.clone(),
    }
}

/// Whether two captures are one: the same samples at the same time. Those of other tools, which do not
/// record when they began, are compared with each other sample by sample, too.
fn is_same(a: &CaptureToCompare<'_>, b: &CaptureToCompare<'_>) -> bool {
    let (a, b) = (a.capture, b.capture);
    std::ptr::eq(a, b)
        || a.started_unix_ns() == b.started_unix_ns()
            && a.duration_ns() == b.duration_ns()
            && a.stack_count() == b.stack_count()
            && a.target() == b.target()
            && a.has_kernel_time() == b.has_kernel_time()
            && a.samples() == b.samples()
            && have_same_stacks(a, b)
}

fn have_same_stacks(a: &Capture, b: &Capture) -> bool {
    a.function_count() == b.function_count()
        && a.function_indices()
            .zip(b.function_indices())
            .all(|(of_a, of_b)| a.function(of_a).name == b.function(of_b).name)
        && a.stack_indices().all(|stack| are_same_frames(a, b, stack))
}

// WebAssembly is optimised while it runs, but a function only between its calls.
#[inline(never)]
fn are_same_frames(a: &Capture, b: &Capture, stack: StackIndex) -> bool {
    a.frames(stack).eq(b.frames(stack))
}

/// Refuses sides of which no answer means anything.
///
/// # Errors
/// [`Refusal::SeveralCommits`] and [`Refusal::OtherProject`].
pub fn check_composition(base: &Side<'_>, new: &Side<'_>) -> Result<(), Refusal> {
    for side in [base, new] {
        let commits = commits(side);
        if commits.len() > 1 {
            return Err(Refusal::SeveralCommits {
                side: side.name.clone(),
                commits: listed(&commits),
            });
        }
    }
    match other_project(base, new) {
        Some((base, new)) => Err(Refusal::OtherProject { base, new }),
        None => Ok(()),
    }
}

/// The notes on the composition of sides that were not refused.
pub fn composition_notes(base: &Side<'_>, new: &Side<'_>, twice: &[String]) -> Vec<Note> {
    let mut notes: Vec<Note> = twice.iter().map(|name| counted_once_note(name)).collect();
    notes.extend(on_both_sides(base, new));
    for side in [base, new] {
        let commits = commits(side);
        if commits.len() > 1 {
            let commits = listed(&commits);
            let text = format!(
                "captures of {} are of several commits ({commits}): differences between the commits count as chance",
                side.name
            );
            notes.push(Note::new(
                NoteKind::SeveralCommits,
                &[&side.name, &commits],
                text,
            ));
        }
    }
    notes.extend(same_commit(base, new));
    notes.extend([base, new].into_iter().flat_map(dirty));
    if let Some((one, other)) = other_project(base, new) {
        let text = format!("captures of two projects: {one} and {other}");
        notes.push(Note::new(NoteKind::OtherProject, &[&one, &other], text));
    }
    notes.extend(load_beside(base, new));
    notes
}

fn counted_once_note(name: &str) -> Note {
    let text = format!("{name} was given more than once and counts once");
    Note::new(NoteKind::SameCapture, &[name], text)
}

fn on_both_sides(base: &Side<'_>, new: &Side<'_>) -> Option<Note> {
    let is_of_base =
        |given: &&CaptureToCompare<'_>| base.captures.iter().any(|of_base| is_same(of_base, given));
    let name = new.captures.iter().find(is_of_base)?.name.as_str();
    let text = format!("{name} is on both sides: it does not differ from itself");
    Some(Note::new(NoteKind::OnBothSides, &[name], text))
}

/// Both sides are of one commit, with the same changes or none.
fn same_commit(base: &Side<'_>, new: &Side<'_>) -> Option<Note> {
    let (of_base, of_new) = (commits(base), commits(new));
    let is_clean = |side: &Side<'_>| origins(side).all(|origin| !origin.dirty);
    let is_one = of_base == of_new && of_base.len() == 1 && is_clean(base) && is_clean(new);
    let commit = of_base.into_iter().next().filter(|_| is_one)?;
    let text = format!(
        "both sides are of {commit}: any difference is chance, or the program was built or run differently"
    );
    Some(Note::new(NoteKind::SameCommit, &[&commit], text))
}

/// Captures whose sources differed from their commit, by commit.
fn dirty(side: &Side<'_>) -> Vec<Note> {
    let mut dirty: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for given in &side.captures {
        if let Some(origin) = given.capture.origin().filter(|origin| origin.dirty) {
            let of_commit = dirty.entry(short_commit(&origin.commit)).or_default();
            of_commit.push(&given.name);
        }
    }
    let notes = dirty.into_iter().map(|(commit, names)| {
        let captures = name_of_captures(&names);
        let text = format!("taken with changes to {commit} that were not committed: {captures}");
        Note::new(NoteKind::Dirty, &[&captures, &commit], text)
    });
    notes.collect()
}

/// The projects of both sides, where they are not one.
fn other_project(base: &Side<'_>, new: &Side<'_>) -> Option<(String, String)> {
    let of = |side: &Side<'_>| Project::of(&origins(side).collect::<Vec<_>>());
    let (of_base, of_new) = (of(base), of(new));
    let named = |project: &Project, side: &Side<'_>| match project.repository.is_empty() {
        true => side.name.clone(),
        false => project.repository.clone(),
    };
    let differ = of_base.differs_from(&of_new);
    differ.then(|| (named(&of_base, base), named(&of_new, new)))
}

/// The other load of the machine: its load average at the start of each capture, less the possible
/// part of the VM itself.
fn load_beside(base: &Side<'_>, new: &Side<'_>) -> Option<Note> {
    let mean = |side: &Side<'_>| {
        let loads = side.captures.iter().map(|given| {
            let host = given.capture.host()?;
            (host.load.is_finite() && host.load >= 0.0).then_some(host.load)
        });
        let loads: Option<Vec<f64>> = loads.collect();
        loads.map(|loads| loads.iter().sum::<f64>() / loads.len().max(1) as f64)
    };
    let (a, b) = (mean(base)?, mean(new)?);
    let differs = f64::max(a, b) > SAME_LOAD * f64::min(a, b).max(1.0);
    let (a, b) = (format!("{a:.1}"), format!("{b:.1}"));
    differs.then(|| {
        let text = format!(
            "the machine had a load of {a} before and of {b} after: the program shares caches and clocks with the rest of the load"
        );
        Note::new(NoteKind::Beside, &[&a, &b], text)
    })
}

fn origins<'s>(side: &'s Side<'_>) -> impl Iterator<Item = OriginFacts> + 's {
    let origins = side.captures.iter();
    origins.filter_map(|given| given.capture.origin())
}

/// The commits of a side, short.
fn commits(side: &Side<'_>) -> BTreeSet<String> {
    let known = origins(side).filter(|origin| !origin.commit.is_empty());
    known.map(|origin| short_commit(&origin.commit)).collect()
}

fn listed(commits: &BTreeSet<String>) -> String {
    const LISTED: usize = 3;
    let first: Vec<&str> = commits.iter().take(LISTED).map(String::as_str).collect();
    match commits.len().saturating_sub(LISTED) {
        0 => first.join(", "),
        more => format!("{} and {more} more", first.join(", ")),
    }
}
