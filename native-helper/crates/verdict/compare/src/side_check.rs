//! Whether captures belong together: the one check of sides, for `diff`, `--history` and the editor. Each of them decides
//! for itself what a defect means: a refusal, a capture that is left out, or a note.
//!
//! The tool of a capture, and whether it has time in the kernel, are no defects of it: to a history those that most have
//! are usual, with a rule of its own for captures that do not contain it (`leave_out_strangers`), while two sides are
//! refused, or named one by one, whichever of both most have ([`crate::kernel_time`], [`crate::matching_notes`]). They have
//! the values in common and no rule, so that one check would be a third beside both.

use crate::notes::{Note, NoteKind};
use crate::project::Project;
use crate::side::CaptureToCompare;
use crate::version::short_commit;

/// What decides whether a capture belongs with others.
#[derive(Debug, Clone, Default)]
pub struct Member {
    pub name: String,
    /// Captures of one group are to be of one version: those of a side, or of a commit of a history.
    pub group: usize,
    /// Its whole name; empty when not known.
    pub commit: String,
    /// The sources differed from it.
    pub dirty: bool,
    pub project: Project,
    /// Name of the host and model of its processor; empty where not known.
    pub machine: [String; 2],
}

/// What keeps a capture from being one of many, and the capture beside which it is that: both by position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Defect {
    pub kind: DefectKind,
    pub of: usize,
    pub beside: usize,
}

/// The kind of fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DefectKind {
    /// Its group has the same capture already.
    Copy,
    /// Another group has the same capture.
    InOtherGroup,
    /// It is of another project than most.
    OtherProject,
    /// It is of another commit than most of its group, or its sources were changed in another way.
    OtherVersion,
    /// It is of another machine. Of many such captures the first.
    OtherMachine,
}

/// All defects of these captures. A copy, and one of another project or version, has no further defect.
pub fn defects(members: &[Member], is_copy: &dyn Fn(usize, usize) -> bool) -> Vec<Defect> {
    let mut found = Vec::new();
    let mut left = Vec::new();
    for of in 0..members.len() {
        let is_in_group = |at: &usize| members[*at].group == members[of].group;
        let mut before = (0..of).filter(|at| is_copy(*at, of));
        let (in_group, other) = (before.clone().find(is_in_group), before.next());
        let (kind, original) = match (in_group, other) {
            (Some(original), _) => (DefectKind::Copy, Some(original)),
            (None, other) => (DefectKind::InOtherGroup, other),
        };
        found.extend(original.map(|beside| Defect { kind, of, beside }));
        if in_group.is_none() {
            left.push(of);
        }
    }
    let mut take = |kind: DefectKind, strangers: Vec<(usize, usize)>, left: &mut Vec<usize>| {
        left.retain(|at| strangers.iter().all(|(of, _)| of != at));
        let defects = strangers.into_iter();
        found.extend(defects.map(|(of, beside)| Defect { kind, of, beside }));
    };
    take(
        DefectKind::OtherProject,
        of_other_projects(members, &left),
        &mut left,
    );
    take(
        DefectKind::OtherVersion,
        of_other_versions(members, &left),
        &mut left,
    );
    let machine = other_machine(members, &left);
    take(
        DefectKind::OtherMachine,
        machine.into_iter().collect(),
        &mut left,
    );
    found
}

/// Captures of other projects than most, each with the first of those. The known sources of a project are those of all
/// its captures together.
fn of_other_projects(members: &[Member], left: &[usize]) -> Vec<(usize, usize)> {
    let mut projects: Vec<(Project, Vec<usize>)> = Vec::new();
    for at in left.iter().rev() {
        let project = &members[*at].project;
        if project.is_unknown() {
            continue;
        }
        let known = projects
            .iter_mut()
            .find(|(known, _)| !known.differs_from(project));
        match known {
            Some((known, of)) => {
                known.add(project);
                of.push(*at);
            }
            None => projects.push((project.clone(), vec![*at])),
        }
    }
    strangers(projects.into_iter().map(|(_, of)| of).collect())
}

/// Captures of other versions than most of their group.
fn of_other_versions(members: &[Member], left: &[usize]) -> Vec<(usize, usize)> {
    let mut groups: Vec<(usize, Vec<Vec<usize>>)> = Vec::new();
    for at in left.iter().rev() {
        let member = &members[*at];
        if member.commit.is_empty() {
            continue;
        }
        let known = groups.iter().position(|(group, _)| *group == member.group);
        let known = known.unwrap_or_else(|| {
            groups.push((member.group, Vec::new()));
            groups.len() - 1
        });
        let versions = &mut groups[known].1;
        let is_same = |of: &&mut Vec<usize>| of.iter().all(|it| members[*it].is_version_of(member));
        match versions.iter_mut().find(is_same) {
            Some(of) => of.push(*at),
            None => versions.push(vec![*at]),
        }
    }
    let versions = groups.into_iter().map(|(_, versions)| versions);
    versions.flat_map(strangers).collect()
}

/// All but those of the largest of these sets, of several the first one, each beside the earliest capture of that.
fn strangers(sets: Vec<Vec<usize>>) -> Vec<(usize, usize)> {
    let most = sets.iter().map(Vec::len).max().unwrap_or(0);
    let Some(largest) = sets.iter().position(|set| set.len() == most) else {
        return Vec::new();
    };
    let Some(beside) = sets[largest].iter().min().copied() else {
        return Vec::new();
    };
    let others = sets.iter().enumerate().filter(|(at, _)| *at != largest);
    let mut strangers: Vec<(usize, usize)> = others
        .flat_map(|(_, set)| set.iter().map(move |of| (*of, beside)))
        .collect();
    strangers.sort_unstable();
    strangers
}

/// The first capture of another machine than the one before it that is known.
fn other_machine(members: &[Member], left: &[usize]) -> Option<(usize, usize)> {
    left.iter().enumerate().find_map(|(place, of)| {
        let mut before = left[..place].iter();
        let differs =
            |beside: &&usize| members[*of].differing_machine(&members[**beside]).is_some();
        let beside = before.find(differs)?;
        Some((*of, *beside))
    })
}

/// Name of the host and model of its processor; empty where not known.
pub fn machine_of(given: &CaptureToCompare<'_>) -> [String; 2] {
    let host = given.capture.target().map(|target| target.host);
    let processor = given.capture.host().map(|host| host.cpu_model);
    [host, processor].map(Option::unwrap_or_default)
}

/// On captures of several machines: one, its machine, another one, its machine.
pub fn machine_note([one, on_one, other, on_other]: &[String; 4]) -> Note {
    Note::of(NoteKind::OtherMachine, &[one, on_one, other, on_other])
}

impl Member {
    fn is_version_of(&self, other: &Self) -> bool {
        self.commit == other.commit
            && self.dirty == other.dirty
            && !(self.dirty && self.project.has_other_contents(&other.project))
    }

    /// `ab12cd345 with changes`.
    pub fn version(&self) -> String {
        let short = short_commit(&self.commit);
        match self.dirty {
            true => format!("{short} with changes"),
            false => short,
        }
    }

    /// The machine of this one and of another one, as far as both contain theirs and they differ.
    pub fn differing_machine<'m>(&'m self, other: &'m Self) -> Option<[&'m str; 2]> {
        let mut facts = self.machine.iter().zip(&other.machine);
        let differ = |(of, beside): &(&String, &String)| {
            !of.is_empty() && !beside.is_empty() && of != beside
        };
        let (of, beside) = facts.find(differ)?;
        Some([of, beside])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn member(group: usize, commit: &str, machine: &str) -> Member {
        Member {
            group,
            commit: commit.to_owned(),
            machine: [machine.to_owned(), String::new()],
            ..Member::default()
        }
    }

    fn found(members: &[Member], copies: &[(usize, usize)]) -> Vec<(DefectKind, usize, usize)> {
        let is_copy = |a: usize, b: usize| copies.contains(&(a, b));
        let defects = defects(members, &is_copy).into_iter();
        defects.map(|it| (it.kind, it.of, it.beside)).collect()
    }

    #[test]
    fn a_copy_is_one_of_its_group_first_and_has_no_other_defect() {
        let members = [
            member(0, "a", "one"),
            member(1, "b", "one"),
            member(1, "c", "two"),
        ];
        assert_eq!(
            found(&members, &[(0, 2), (1, 2)]),
            [(DefectKind::Copy, 2, 1)]
        );
        assert_eq!(
            found(&members[..2], &[(0, 1)]),
            [(DefectKind::InOtherGroup, 1, 0)]
        );
    }

    #[test]
    fn the_fewer_are_strangers_and_those_of_which_nothing_is_known_are_none() {
        let members = [
            member(0, "a", ""),
            member(0, "", "one"),
            member(0, "b", ""),
            member(0, "b", "two"),
            member(1, "a", "two"),
        ];
        assert_eq!(
            found(&members, &[]),
            [
                (DefectKind::OtherVersion, 0, 2),
                (DefectKind::OtherMachine, 3, 1)
            ]
        );
    }
}
