//! Differences between how the captures of some commits and those of others were taken: the limits of captures. The notes,
//! and the effects of such a difference on a figure, are those of a comparison of two sides.

use super::answer::SeriesOf;
use super::commits::Commit;
use super::counted::CountedCapture;
use super::latest::FEWEST_COMMITS;
use super::same_code;
use crate::fact_of_group::FactOfGroup;
use crate::gate::unlike_sides::{Part, UnlikeSides};
use crate::given_time::{GivenTimes, LostTime, OtherClock, given_time_notes};
use crate::kernel_time::kernel_time_between;
use crate::machine::Beside;
use crate::measure::Measure;
use crate::notes::{Note, NoteKind, differing_facts};
use crate::tracing::{OF_CALLS, OF_PROCESSES};

/// It would decide: only the newest commit can be recorded again.
const FIX: &str = "record the newest commit under the conditions of those before it";

/// Captures that are compared with others.
struct Group<'c> {
    name: String,
    captures: Vec<&'c CountedCapture>,
}

impl<'c> Group<'c> {
    /// Of commits in a row.
    fn of(commits: &'c [Commit]) -> Self {
        let name = match commits {
            [first, .., last] => format!("{} … {}", first.shown(), last.shown()),
            [only] => only.shown(),
            [] => String::new(),
        };
        let captures = commits.iter().flat_map(|commit| &commit.captures);
        Self {
            name,
            captures: captures.collect(),
        }
    }

    fn of_one(capture: &'c CountedCapture) -> Self {
        Self {
            name: capture.name.clone(),
            captures: vec![capture],
        }
    }

    fn facts(&self) -> Vec<(NoteKind, String)> {
        let captures = self.captures.iter();
        captures.flat_map(|it| it.facts.iter().cloned()).collect()
    }

    fn fact(&self, of: fn(&CountedCapture) -> Option<bool>) -> FactOfGroup<'_> {
        let captures = self.captures.iter();
        FactOfGroup {
            name: &self.name,
            each: captures.map(|it| (it.name.as_str(), of(it))).collect(),
        }
    }

    /// Whether time in the kernel is in each.
    fn kernel_time(&self) -> FactOfGroup<'_> {
        self.fact(|it| it.kernel_time)
    }

    fn times(&self) -> GivenTimes<'_> {
        let captures = self.captures.iter();
        GivenTimes {
            name: &self.name,
            captures: captures.map(|it| (it.given_time, &it.counts)).collect(),
        }
    }
}

/// All differences between how commits and later ones were captured.
pub fn differences(before: &[Commit], after: &[Commit]) -> Vec<Note> {
    between(&Group::of(before), &Group::of(after))
}

fn between(before: &Group<'_>, after: &Group<'_>) -> Vec<Note> {
    let mut notes = differing_facts(&before.facts(), &after.facts());
    let traced = [before, after].map(|group| group.fact(|it| it.traced));
    let processes = [before, after].map(|group| group.fact(|it| it.traced_processes));
    notes.extend(OF_CALLS.between(&traced[0], &traced[1]));
    notes.extend(OF_PROCESSES.between(&processes[0], &processes[1]));
    notes.extend(kernel_time_between(
        &before.kernel_time(),
        &after.kernel_time(),
    ));
    notes.extend(given_time_notes(&before.times(), &after.times()));
    notes
}

/// Of the limits of captures, by kind: the newest difference between a capture and the one before.
pub fn limits_notes(commits: &[Commit]) -> Vec<Note> {
    let captures: Vec<&CountedCapture> = Group::of(commits).captures;
    let mut notes: Vec<Note> = Vec::new();
    for two in captures.windows(2).rev() {
        for note in between(&Group::of_one(two[0]), &Group::of_one(two[1])) {
            if note.kind.is_of_limits() && notes.iter().all(|known| known.kind != note.kind) {
                notes.push(note);
            }
        }
    }
    notes
}

/// Differences between the newest commit and those before it that may have moved its figure.
#[derive(Default)]
pub struct Unlike {
    pub notes: Vec<Note>,
    /// What each may have done.
    pub beside: Vec<Beside>,
}

impl Unlike {
    pub fn of(before: &[Commit], newest: &[Commit], of: SeriesOf, measure: Measure) -> Self {
        let nearest = Group::of(&before[before.len().saturating_sub(FEWEST_COMMITS)..]);
        let (before, newest) = (Group::of(before), Group::of(newest));
        // Shares have nothing of the machine.
        let alike = match measure {
            Measure::Share => None,
            Measure::Cpu | Measure::Work => {
                same_code::factor(&nearest.captures, &newest.captures, measure)
            }
        };
        let (times_before, times) = (before.times(), newest.times());
        let sides = UnlikeSides {
            names: [&before.name, &newest.name],
            kernel_time: [before.kernel_time().of_all(), newest.kernel_time().of_all()],
            part: match of {
                SeriesOf::Whole => Part::Whole,
                SeriesOf::Itself | SeriesOf::Total => Part::Functions,
            },
            measure,
        };
        let by_kind = |note: &Note| match note.kind {
            NoteKind::ProcessorTimeLost | NoteKind::ProcessorFrequency
                if measure == Measure::Share =>
            {
                None
            }
            // The factor of the functions is measured, and what a frequency does to a program is not.
            NoteKind::ProcessorFrequency if alike.is_some() => None,
            NoteKind::ProcessorTimeLost => {
                let lost = LostTime::between(times_before.lost_pct(), times.lost_pct());
                lost.map(Beside::of_lost)
            }
            NoteKind::ProcessorFrequency => {
                let clock = OtherClock::between(times_before.mhz(), times.mhz());
                clock.map(Beside::of_clock)
            }
            _ => sides.beside(note),
        };
        let notes = between(&before, &newest).into_iter();
        let known = notes.filter_map(|note| Some((by_kind(&note)?, note)));
        // Of the figures of functions, too, it is not taken out.
        let alike = alike.map(|it| (Beside::of_alike(&it), it.note(measure, Measure::Share)));
        let mut unlike = Self::default();
        for (mut beside, note) in known.chain(alike) {
            beside.doubt.fix = FIX.to_owned();
            unlike.notes.push(note);
            unlike.beside.push(beside);
        }
        unlike
    }
}
