//! The composition of a side: captures of one program, each once.

use std::collections::{BTreeMap, BTreeSet};

use capture::facts::OriginFacts;
use capture::reader::{Capture, StackIndex};
use shared_sort::Inserted;

use crate::notes::{Note, NoteKind};
use crate::pairs::by_time;
use crate::project::Project;
use crate::refusal::Refusal;
use crate::side::{CaptureToCompare, Side, name_of_captures};
use crate::side_check::{Defect, DefectKind, Member, defects, machine_note, machine_of};
use crate::version::short_commit;

/// Load averages that differ by less are as good as one.
const SAME_LOAD: f64 = 2.0;

/// Both sides with each capture once, and the other faults of both.
#[derive(Debug)]
pub struct Composition<'a> {
    pub base: Side<'a>,
    pub new: Side<'a>,
    /// Of the sides as they were given, those of the older one first.
    members: Vec<Member>,
    defects: Vec<Defect>,
}

impl<'a> Composition<'a> {
    pub fn of(base: &Side<'a>, new: &Side<'a>) -> Self {
        let sides = [base, new].into_iter().enumerate();
        let all: Vec<(usize, &CaptureToCompare<'a>)> = sides
            .flat_map(|(group, side)| side.captures.iter().map(move |given| (group, given)))
            .collect();
        let members: Vec<Member> = all
            .iter()
            .map(|(group, given)| member(*group, given))
            .collect();
        let defects = defects(&members, &|a, b| is_same(all[a].1, all[b].1));
        let is_copy = |at: usize| {
            let mut defects = defects.iter();
            defects.any(|defect| defect.kind == DefectKind::Copy && defect.of == at)
        };
        let once = |side: &Side<'a>, group: usize| {
            let places = all.iter().enumerate();
            let kept = places.filter(|(at, (of, _))| *of == group && !is_copy(*at));
            let captures: Vec<_> = kept.map(|(_, (_, given))| (*given).clone()).collect();
            Side {
                name: name_of_kept(side, &captures),
                captures,
            }
        };
        Self {
            base: once(base, 0),
            new: once(new, 1),
            members,
            defects,
        }
    }

    /// Both sides, in the order of their pairs.
    pub fn in_order(&self, paired: bool) -> (Side<'a>, Side<'a>) {
        match paired {
            true => by_time(&self.base, &self.new),
            false => (self.base.clone(), self.new.clone()),
        }
    }

    /// Refuses sides of which no answer means anything; pairs are of one machine, too.
    ///
    /// # Errors
    /// [`Refusal::SeveralCommits`], [`Refusal::OtherProject`] and [`Refusal::OtherMachine`].
    pub fn check(&self, paired: bool) -> Result<(), Refusal> {
        for (group, side) in [&self.base, &self.new].into_iter().enumerate() {
            if let Some(versions) = self.versions(group) {
                return Err(Refusal::SeveralCommits {
                    side: side.name.clone(),
                    commits: listed(&versions),
                });
            }
        }
        if let Some([base, new]) = self.other_projects() {
            return Err(Refusal::OtherProject { base, new });
        }
        match self.other_machine().filter(|_| paired) {
            Some([one, on_one, other, on_other]) => Err(Refusal::OtherMachine {
                one,
                on_one,
                other,
                on_other,
            }),
            None => Ok(()),
        }
    }

    /// The notes on the composition of sides that were not refused.
    pub fn notes(&self) -> Vec<Note> {
        let (base, new) = (&self.base, &self.new);
        // One file can be given three times.
        let named = |kind: DefectKind| {
            let mut names: Vec<&str> = Vec::new();
            for defect in self.of_kind(kind) {
                let name = self.members[defect.of].name.as_str();
                if !names.contains(&name) {
                    names.push(name);
                }
            }
            names.into_iter()
        };
        let mut notes: Vec<Note> = named(DefectKind::Copy).map(counted_once_note).collect();
        notes.extend(named(DefectKind::InOtherGroup).map(on_both_sides_note));
        for (group, side) in [base, new].into_iter().enumerate() {
            let Some(versions) = self.versions(group) else {
                continue;
            };
            let commits = listed(&versions);
            let values = [side.name.as_str(), &commits];
            notes.push(Note::of(NoteKind::SeveralCommits, &values));
        }
        notes.extend(same_commit(base, new));
        notes.extend([base, new].into_iter().flat_map(dirty));
        if let Some([one, other]) = self.other_projects() {
            notes.push(Note::of(NoteKind::OtherProject, &[&one, &other]));
        }
        notes.extend(self.other_machine().map(|facts| machine_note(&facts)));
        notes.extend(load_beside(base, new));
        notes
    }

    fn of_kind(&self, kind: DefectKind) -> impl Iterator<Item = &Defect> {
        let defects = self.defects.iter();
        defects.filter(move |defect| defect.kind == kind)
    }

    /// The versions of a side, where those are several.
    fn versions(&self, group: usize) -> Option<BTreeSet<String>> {
        let of_group = |at: usize| self.members[at].group == group;
        let mut others = self.of_kind(DefectKind::OtherVersion);
        let one = others.find(|defect| of_group(defect.of))?;
        let members = self.members.iter();
        let known = members.filter(|it| it.group == group && !it.commit.is_empty());
        let mut versions: BTreeSet<String> = known.map(Member::version).inserted();
        // Both are changed, and not alike.
        if versions.len() < 2 {
            versions.insert(format!("{} and others", self.members[one.of].version()));
        }
        Some(versions)
    }

    /// Two projects, in the order of their captures.
    fn other_projects(&self) -> Option<[String; 2]> {
        let defect = self.of_kind(DefectKind::OtherProject).next()?;
        let places = [defect.of.min(defect.beside), defect.of.max(defect.beside)];
        Some(places.map(|at| {
            let member = &self.members[at];
            match member.project.repository.is_empty() {
                true => member.name.clone(),
                false => member.project.repository.clone(),
            }
        }))
    }

    /// A capture, its machine, another one, its machine.
    fn other_machine(&self) -> Option<[String; 4]> {
        let defect = self.of_kind(DefectKind::OtherMachine).next()?;
        let (one, other) = (&self.members[defect.beside], &self.members[defect.of]);
        let [on_one, on_other] = one.differing_machine(other)?;
        Some([one.name.as_str(), on_one, &other.name, on_other].map(str::to_owned))
    }
}

/// Of a side.
fn member(group: usize, given: &CaptureToCompare<'_>) -> Member {
    let origin = given.capture.origin().unwrap_or_default();
    Member {
        name: given.name.clone(),
        group,
        project: Project::of(std::slice::from_ref(&origin)),
        commit: origin.commit,
        dirty: origin.dirty,
        machine: machine_of(given),
    }
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

fn counted_once_note(name: &str) -> Note {
    Note::of(NoteKind::SameCapture, &[name])
}

fn on_both_sides_note(name: &str) -> Note {
    Note::of(NoteKind::OnBothSides, &[name])
}

/// Both sides are of one commit, with the same changes or none.
fn same_commit(base: &Side<'_>, new: &Side<'_>) -> Option<Note> {
    let (of_base, of_new) = (commits(base), commits(new));
    let is_clean = |side: &Side<'_>| origins(side).all(|origin| !origin.dirty);
    let is_one = of_base == of_new && of_base.len() == 1 && is_clean(base) && is_clean(new);
    let commit = of_base.into_iter().next().filter(|_| is_one)?;
    Some(Note::of(NoteKind::SameCommit, &[&commit]))
}

/// Of sides with texts: headers, macros and settings of the build of a capture with changes may be others than its commit
/// has.
pub fn uncommitted_note(base: &Side<'_>, new: &Side<'_>) -> Option<Note> {
    let is_uncommitted = [base, new].into_iter().any(Side::is_uncommitted);
    is_uncommitted.then(|| Note::of(NoteKind::UncommittedHeaders, &[]))
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
        Note::of(NoteKind::Dirty, &[&captures, &commit])
    });
    notes.collect()
}

/// The other load of the machine: its load average at the start of each capture, less the possible
/// part of the VM itself.
fn load_beside(base: &Side<'_>, new: &Side<'_>) -> Option<Note> {
    let mean = |side: &Side<'_>| {
        let loads = side.captures.iter().map(|given| {
            let load = given.capture.host()?.load?;
            (load.is_finite() && load >= 0.0).then_some(load)
        });
        let loads: Option<Vec<f64>> = loads.collect();
        loads.map(|loads| loads.iter().sum::<f64>() / loads.len().max(1) as f64)
    };
    let (a, b) = (mean(base)?, mean(new)?);
    let differs = f64::max(a, b) > SAME_LOAD * f64::min(a, b).max(1.0);
    let (a, b) = (format!("{a:.1}"), format!("{b:.1}"));
    differs.then(|| Note::of(NoteKind::Beside, &[&a, &b]))
}

fn origins<'s>(side: &'s Side<'_>) -> impl Iterator<Item = OriginFacts> + 's {
    let origins = side.captures.iter();
    origins.filter_map(|given| given.capture.origin())
}

/// The commits of a side, short.
fn commits(side: &Side<'_>) -> BTreeSet<String> {
    let known = origins(side).filter(|origin| !origin.commit.is_empty());
    known.map(|origin| short_commit(&origin.commit)).inserted()
}

fn listed(commits: &BTreeSet<String>) -> String {
    const LISTED: usize = 3;
    let first: Vec<&str> = commits.iter().take(LISTED).map(String::as_str).collect();
    match commits.len().saturating_sub(LISTED) {
        0 => first.join(", "),
        more => format!("{} and {more} more", first.join(", ")),
    }
}
