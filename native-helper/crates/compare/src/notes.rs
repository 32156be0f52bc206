//! What differs beside the program, in words.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::counts::Counting;
use crate::side::{CaptureToCompare, Side};

/// Something that a reader has to know.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
pub struct Note {
    /// What kind of note, for those who have words of their own for it.
    pub kind: NoteKind,
    /// What it is about, in the order that the words need.
    pub values: Vec<String>,
    /// In English.
    pub text: String,
}

/// Kinds of notes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum NoteKind {
    /// One capture a side: only time within a run was resampled.
    OneCapture,
    /// Sampled at different rates.
    Frequency,
    /// Sampled by different events.
    Event,
    /// Different engines.
    Engine,
    /// Kernel frames on one side only.
    Kernel,
    /// Some captures have time in the kernel, others do not: one without, one with, the least percentage
    /// that one lacks (empty where that is not known).
    KernelTimeOnOneSide,
    /// Some captures lack time in the kernel, others do not say: the same.
    KernelTimeUnknown,
    /// No capture has time in the kernel: the same, with one capture.
    NoKernelTime,
    /// Lengths differ much.
    Duration,
    /// Another OTP release.
    Release,
    /// JIT against interpreter.
    Flavor,
    /// Other machines.
    Host,
    /// The newer side was recorded first.
    Order,
    /// A capture is not whole.
    Truncated,
    /// A capture has no times.
    NoTimes,
    /// Shares and processor time disagree.
    Disagreement,
    /// Shares and processor time for each unit of work disagree.
    ShareAgainstWork,
    /// Processor time each second and that for each unit of work disagree.
    LoadAgainstWork,
    /// A capture was cut before work was counted again.
    WorkCut,
    /// Work could not be counted at the end of a capture.
    WorkNotRead,
    /// A counter went backwards.
    WorkBackwards,
    /// A counter stood still.
    WorkStoodStill,
    /// Some captures counted their work, others did not.
    WorkPartly,
    /// Captures counted different work.
    WorkDiffers,
    /// More was done each second on one side.
    Load,
    /// A capture is from another tool than others: its name, the tool (empty where not known).
    OtherTool,
    /// A capture does not tell waiting from work, so that waiting counts on both sides.
    WaitingCounts,
    /// Functions are not matched, since several of their name have other arities on the other side: how
    /// many, one of them.
    ArityChanged,
    /// Functions are not matched, since several of one side are shown as the same: the same.
    NotToldApart,
    /// A capture was given more than once and is counted once: the capture.
    SameCapture,
    /// A capture is on both sides: the capture.
    OnBothSides,
    /// Captures of a side are of several commits: the side, the commits.
    SeveralCommits,
    /// Both sides are of one commit: the commit.
    SameCommit,
    /// Sources differed from the commit: a capture, its commit.
    Dirty,
    /// Captures of different repositories: one, the other.
    OtherProject,
    /// The machine did more beside on one side: the load average there and here, older side first.
    Beside,
    /// Functions are matched by their names alone: why.
    NameAlone,
    /// Own code of captures is what lies below a folder today: the captures, the folder, why.
    OwnOfToday,
    /// Own code of captures is told by the paths of the sources that they name: the captures, why.
    OwnByPaths,
}

/// A fact that should be the same on both sides.
struct Fact {
    kind: NoteKind,
    of: fn(&CaptureToCompare<'_>) -> Option<String>,
    words: fn(&str, &str) -> String,
}

const FACTS: [Fact; 6] = [
    Fact {
        kind: NoteKind::Frequency,
        of: |given| Some(given.capture.settings()?.frequency_hz.to_string()),
        words: |a, b| {
            format!(
                "sampled at {a} Hz and at {b} Hz: counts are made comparable by the time a sample stands for"
            )
        },
    },
    Fact {
        kind: NoteKind::Event,
        of: |given| Some(given.capture.settings()?.event),
        words: |a, b| {
            format!(
                "sampled by {a} and by {b}: cycles run faster on a boosted core, so shares may differ by that alone"
            )
        },
    },
    Fact {
        kind: NoteKind::Engine,
        of: |given| Some(given.capture.settings()?.engine),
        words: |a, b| {
            format!(
                "stacks by {a} and by {b}: with readv some stay unproven, which makes totals smaller"
            )
        },
    },
    Fact {
        kind: NoteKind::Release,
        of: |given| Some(given.capture.target()?.otp_release),
        words: |a, b| {
            format!("OTP {a} and OTP {b}: what changed may be OTP's doing, not the program's")
        },
    },
    Fact {
        kind: NoteKind::Flavor,
        of: |given| Some(given.capture.target()?.flavor),
        words: |a, b| format!("{a} and {b}: functions of the two take times that do not compare"),
    },
    Fact {
        kind: NoteKind::Host,
        of: |given| Some(given.capture.target()?.host),
        words: |a, b| format!("taken on {a} and on {b}: another machine is another speed"),
    },
];

/// What differs beside the program.
pub fn notes(base: &Side<'_>, new: &Side<'_>, counting: Counting) -> Vec<Note> {
    let mut notes = Vec::new();
    if base.captures.len() < 2 || new.captures.len() < 2 {
        let text = "one capture on a side: only time within a run was resampled; how much runs differ is assumed";
        notes.push(Note::new(NoteKind::OneCapture, &[], text.to_owned()));
    }
    notes.extend(FACTS.iter().filter_map(|fact| fact.note(base, new)));
    if counting.merges_kernel {
        let text = "only one side has kernel functions: they count as one, [kernel]";
        notes.push(Note::new(NoteKind::Kernel, &[], text.to_owned()));
    }
    notes.extend(length_note(base, new));
    notes.extend(order_note(base, new));
    let all = base.captures.iter().chain(&new.captures);
    notes.extend(all.flat_map(notes_of_capture));
    notes
}

impl Fact {
    fn note(&self, base: &Side<'_>, new: &Side<'_>) -> Option<Note> {
        let values = |side: &Side<'_>| side.captures.iter().filter_map(self.of).collect();
        self.note_of(values(base), values(new))
    }

    /// From what the captures of each side say.
    fn note_of(&self, base: Vec<String>, new: Vec<String>) -> Option<Note> {
        let (base, new) = (listed(base), listed(new));
        let differs = base != new && !base.is_empty() && !new.is_empty();
        differs.then(|| Note::new(self.kind, &[&base, &new], (self.words)(&base, &new)))
    }
}

/// What of this is said, each once.
fn listed(values: Vec<String>) -> String {
    let different: BTreeSet<String> = values.into_iter().filter(|text| !text.is_empty()).collect();
    different.into_iter().collect::<Vec<_>>().join(" and ")
}

/// What a capture says of what should be the same for all, for those who do not keep the capture.
pub fn facts_of(given: &CaptureToCompare<'_>) -> Vec<(NoteKind, String)> {
    let said = FACTS
        .iter()
        .filter_map(|fact| Some((fact.kind, (fact.of)(given)?)));
    said.collect()
}

/// What differs of these facts between two groups of captures.
pub fn differing_facts(base: &[(NoteKind, String)], new: &[(NoteKind, String)]) -> Vec<Note> {
    let said = |facts: &[(NoteKind, String)], kind: NoteKind| {
        let of_kind = facts.iter().filter(|(of, _)| *of == kind);
        of_kind.map(|(_, text)| text.clone()).collect()
    };
    let notes = FACTS
        .iter()
        .filter_map(|fact| fact.note_of(said(base, fact.kind), said(new, fact.kind)));
    notes.collect()
}

fn notes_of_capture(given: &CaptureToCompare<'_>) -> Vec<Note> {
    let name = given.name.as_str();
    let mut notes = Vec::new();
    if given.capture.truncated() {
        let text = format!("{name} ends in the middle; what is complete is compared");
        notes.push(Note::new(NoteKind::Truncated, &[name], text));
    }
    if given.last_bucket_ms() == 0 && given.seconds() > 1.0 {
        let text = format!(
            "{name} does not say when its samples were taken: each counts as independent of the others"
        );
        notes.push(Note::new(NoteKind::NoTimes, &[name], text));
    }
    notes
}

fn length_note(base: &Side<'_>, new: &Side<'_>) -> Option<Note> {
    let mean = |side: &Side<'_>| {
        let seconds: f64 = side.captures.iter().map(CaptureToCompare::seconds).sum();
        seconds / side.captures.len().max(1) as f64
    };
    let (a, b) = (mean(base), mean(new));
    let differs = a > 0.0 && b > 0.0 && (a / b > 2.0 || b / a > 2.0);
    let (a, b) = (format!("{a:.1}"), format!("{b:.1}"));
    differs.then(|| {
        let text = format!(
            "captures of {a} s and of {b} s: what a VM does seldom is in the longer ones only"
        );
        Note::new(NoteKind::Duration, &[&a, &b], text)
    })
}

fn order_note(base: &Side<'_>, new: &Side<'_>) -> Option<Note> {
    let starts = |side: &Side<'_>| {
        let starts = side
            .captures
            .iter()
            .map(|given| given.capture.started_unix_ns());
        starts.filter(|start| *start > 0).collect::<Vec<_>>()
    };
    let (first_of_base, last_of_new) = (
        starts(base).into_iter().min()?,
        starts(new).into_iter().max()?,
    );
    (last_of_new < first_of_base).then(|| {
        let text = format!("{} was recorded before {}", new.name, base.name);
        Note::new(NoteKind::Order, &[&new.name, &base.name], text)
    })
}

impl Note {
    pub(crate) fn new(kind: NoteKind, values: &[&str], text: String) -> Self {
        Self {
            kind,
            values: values.iter().map(|value| (*value).to_owned()).collect(),
            text,
        }
    }
}
