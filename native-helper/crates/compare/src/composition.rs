//! What a side is made of: captures of one program, each once.

use std::collections::BTreeSet;

use capture::facts::OriginFacts;
use capture::reader::Capture;

use crate::notes::{Note, NoteKind};
use crate::refusal::Refusal;
use crate::side::{CaptureToCompare, Side};
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
            name: side.name.clone(),
            captures,
        }
    };
    let (base, new) = (once(base), once(new));
    (base, new, twice)
}

/// Whether two captures are one: the same samples at the same time. Those of other tools, which do not
/// tell when they began, are held against each other sample by sample, too.
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
    let name = |capture: &Capture, index| capture.function(index).name.to_owned();
    let functions = a.function_indices().zip(b.function_indices());
    a.function_count() == b.function_count()
        && functions
            .into_iter()
            .all(|(of_a, of_b)| name(a, of_a) == name(b, of_b))
        && a.stack_indices()
            .all(|stack| a.frames(stack).eq(b.frames(stack)))
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

/// What a reader has to know of it where it was not refused.
pub fn composition_notes(base: &Side<'_>, new: &Side<'_>, twice: &[String]) -> Vec<Note> {
    let mut notes: Vec<Note> = twice.iter().map(|name| counted_once_note(name)).collect();
    notes.extend(on_both_sides(base, new));
    for side in [base, new] {
        let commits = commits(side);
        if commits.len() > 1 {
            let commits = listed(&commits);
            let text = format!(
                "captures of {} are of several commits ({commits}): what they differ by counts as chance",
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
    notes.extend([base, new].into_iter().filter_map(dirty));
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
        "both sides are of {commit}: what differs is chance, or what was built or run otherwise"
    );
    Some(Note::new(NoteKind::SameCommit, &[&commit], text))
}

fn dirty(side: &Side<'_>) -> Option<Note> {
    let is_dirty =
        |given: &&CaptureToCompare<'_>| given.capture.origin().is_some_and(|it| it.dirty);
    let given = side.captures.iter().find(is_dirty)?;
    let commit = short_commit(&given.capture.origin()?.commit);
    let text = format!(
        "{} is of {commit} with changes that were not committed",
        given.name
    );
    Some(Note::new(NoteKind::Dirty, &[&given.name, &commit], text))
}

/// What both sides are captures of, where that is not one project: neither the repository's name nor any
/// source file is the same.
fn other_project(base: &Side<'_>, new: &Side<'_>) -> Option<(String, String)> {
    let repository = |side: &Side<'_>| {
        let mut repositories = origins(side).map(|origin| origin.repository);
        repositories.find(|address| !address.is_empty())
    };
    let sources = |side: &Side<'_>| -> BTreeSet<String> {
        origins(side)
            .flat_map(|origin| origin.sources.into_keys())
            .collect()
    };
    let (of_base, of_new) = (repository(base), repository(new));
    let is_one = match (&of_base, &of_new) {
        (Some(base), Some(new)) => last_part(base) == last_part(new),
        _ => false,
    };
    let (in_base, in_new) = (sources(base), sources(new));
    let know_sources = !in_base.is_empty() && !in_new.is_empty();
    let differ = match know_sources {
        true => in_base.is_disjoint(&in_new),
        false => of_base.is_some() && of_new.is_some(),
    };
    let named =
        |repository: Option<String>, side: &Side<'_>| repository.unwrap_or(side.name.clone());
    (differ && !is_one).then(|| (named(of_base, base), named(of_new, new)))
}

/// The name of a repository, however it is reached: a fork has the same one.
fn last_part(address: &str) -> &str {
    let name = address.trim_end_matches('/');
    let name = name.strip_suffix(".git").unwrap_or(name);
    name.rsplit(['/', ':']).next().unwrap_or(name)
}

/// What the machine did beside: its load average at the start of each capture, less what the VM itself
/// may be of it.
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
            "the machine had a load of {a} before and of {b} after: caches and clocks are shared with what else runs"
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
