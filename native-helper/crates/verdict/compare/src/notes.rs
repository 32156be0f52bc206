//! Differences beside the program, in words.

use std::collections::BTreeSet;

use capture::end::MissingEndReason;
use serde::{Deserialize, Serialize};
use shared_sort::Inserted;

use crate::counts::Counting;
use crate::side::{CaptureToCompare, Side};

/// Something that a reader has to know.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
pub struct Note {
    /// The kind of note, for callers that have words of their own for it.
    pub kind: NoteKind,
    /// Its arguments, in the order that the words need.
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
    /// Some captures lack time in the kernel, others do not record it: the same.
    KernelTimeUnknown,
    /// Some captures have time in the kernel, others do not record it: one that does not, one that has it.
    KernelTimeNotRecorded,
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
    /// A capture has no end mark: it is still being written, or its writer was ended.
    NotClosed,
    /// A capture could not be written to its end.
    NotWritten,
    /// A capture has no times.
    NoTimes,
    /// Shares and processor time disagree.
    Disagreement,
    /// Shares and processor time per unit of work disagree.
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
    /// A capture does not distinguish waiting from work, so that waiting counts on both sides.
    WaitingCounts,
    /// Functions are not matched, since several of their name have other arities on the other side: how
    /// many, one of them.
    ArityChanged,
    /// Functions are not matched, since several of one side are shown as the same: the same.
    NotToldApart,
    /// Functions whose text was not compared with those of the other side, as there are too many: how many, the limit.
    MatchingCut,
    /// Functions of names with too many arities, matched by name alone: the same.
    FamiliesCut,
    /// Lines of long functions that were not compared: the same.
    LinesCut,
    /// Words of long functions that were not compared: the same.
    WordsCut,
    /// Modules of files with too many, whose code was not read: the same.
    ModulesCut,
    /// Source files that could not be read to their end: how many.
    TextsCut,
    /// Changed macros in modules of files of Elixir with too many, whose names were not taken: how many files, the limit.
    MacroNamesCut,
    /// Changed macros in files of Elixir that were not read to their end: how many files.
    MacrosUnread,
    /// Headers, and files with macros, that count as if they included a changed header or used a changed macro, as they
    /// could not be read: how many.
    IncludesUnread,
    /// Headers that differ between both commits, or that may include one, were not all listed by git or read.
    HeadersUnknown,
    /// The same of the files of Elixir that differ between both commits, which may have macros.
    MacrosUnknown,
    /// The same of settings of rebar3, which may name a parse transform that differs between both commits.
    TransformsUnknown,
    /// Git did not list the files that were renamed between both commits.
    RenamesUnknown,
    /// Settings of the build or versions of dependencies differ between both commits: the files that have them.
    BuildDiffers,
    /// Findings of work that moved that are not listed: how many, the limit.
    FindingsCut,
    /// Seconds of long captures in which the length of blocks was not searched: the same.
    TimesCut,
    /// Source files whose texts are unknown: the same.
    SourcesCut,
    /// A limit of the search for own code took effect: the folder, the part that was not searched.
    OwnCut,
    /// A capture was given more than once and is counted once: the capture.
    SameCapture,
    /// A capture is on both sides: the capture.
    OnBothSides,
    /// Captures of a side are of several commits: the side, the commits.
    SeveralCommits,
    /// Both sides are of one commit: the commit.
    SameCommit,
    /// Sources differed from the commit: the captures, their commit.
    Dirty,
    /// Sources of captures differed from their commit: git has headers, macros and settings of the build as committed.
    UncommittedHeaders,
    /// Captures of different repositories: one, the other.
    OtherProject,
    /// Both sides have Erlang functions, and none in common: the sides.
    NothingInCommon,
    /// The machine did more beside on one side: the load average there and here, older side first.
    Beside,
    /// Functions are matched by their names alone: why.
    NameAlone,
    /// Own code of captures is the code below a folder today: the captures, the folder, why.
    OwnOfToday,
    /// Own code of captures is determined by the paths of the sources that they name: the captures,
    /// why.
    OwnByPaths,
    /// A capture does not contain when it was taken, so that pairs are in the order that was given: the capture.
    PairsAsGiven,
    /// Two captures that stand where the captures of a pair should are of one side: both.
    WrongPairs,
    /// Captures of pairs are of several machines: one, its machine, another one, its machine.
    OtherMachine,
    /// Functions of the same code changed by one factor, which is taken out of the changes of functions: how many,
    /// percent, lower end, upper end.
    MachineTakenOut,
    /// The same, and it is in all figures.
    MachineNotTakenOut,
    /// The same, and it is in the change of the whole; functions have shares.
    MachineOfWhole,
    /// Processors ran at other frequencies: the lowest and the highest of the one side, in MHz, the same of the other.
    ProcessorFrequency,
    /// A side was kept from processors and the other was not: the side, percent of its time, the other.
    ProcessorTimeLost,
    /// Threads waited for a processor for much longer on one side: that side, percent of its time, the other side, the
    /// same.
    WaitedForProcessors,
    /// The VM was halted for a longer part of the time on one side: that side, percent of its time, the other side, the
    /// same.
    HaltedOnOneSide,
    /// Samples may be missing for a larger part of the busy time of one side: that side, percent of its time at most, the
    /// other side, the same.
    SamplesMissing,
    /// Calls were traced in some captures and not in others: the side that tracing can only have raised, else a capture; the
    /// other side or a capture, without tracing.
    TracingOnOneSide,
    /// The same, and the other one does not contain whether calls were traced.
    TracingUnknown,
    /// Messages or events of processes were traced in some captures and not in others: as `TracingOnOneSide`.
    ProcessTracingOnOneSide,
    /// The same, and the other one does not contain whether they were.
    ProcessTracingUnknown,
    /// Other numbers of schedulers might run: there and here, older side first.
    SchedulersOnline,
}

impl NoteKind {
    /// Sources, headers or renames are not known, on which it depends what the commit touched.
    pub(crate) const fn is_of_unknown_code(self) -> bool {
        matches!(
            self,
            Self::NameAlone
                | Self::HeadersUnknown
                | Self::MacrosUnknown
                | Self::TransformsUnknown
                | Self::MacroNamesCut
                | Self::MacrosUnread
                | Self::RenamesUnknown
        )
    }

    /// Captures of one side were limited in another way than those of the other.
    pub(crate) const fn is_of_limits(self) -> bool {
        matches!(
            self,
            Self::ProcessorFrequency
                | Self::ProcessorTimeLost
                | Self::WaitedForProcessors
                | Self::HaltedOnOneSide
                | Self::SamplesMissing
                | Self::TracingOnOneSide
                | Self::TracingUnknown
                | Self::ProcessTracingOnOneSide
                | Self::ProcessTracingUnknown
                | Self::SchedulersOnline
                | Self::KernelTimeUnknown
                | Self::KernelTimeNotRecorded
        )
    }

    /// Work was counted, and is not compared.
    pub(crate) const fn is_of_lost_work(self) -> bool {
        matches!(
            self,
            Self::WorkPartly
                | Self::WorkDiffers
                | Self::WorkCut
                | Self::WorkNotRead
                | Self::WorkBackwards
                | Self::WorkStoodStill
        )
    }
}

/// A fact that should be the same on both sides.
struct Fact {
    kind: NoteKind,
    of: fn(&CaptureToCompare<'_>) -> Option<String>,
}

const FACTS: [Fact; 7] = [
    Fact {
        kind: NoteKind::Frequency,
        of: |given| Some(given.capture.settings()?.frequency_hz.to_string()),
    },
    Fact {
        kind: NoteKind::Event,
        of: |given| Some(given.capture.settings()?.event),
    },
    Fact {
        kind: NoteKind::Engine,
        of: |given| Some(given.capture.settings()?.engine),
    },
    Fact {
        kind: NoteKind::Release,
        of: |given| Some(given.capture.target()?.otp_release),
    },
    Fact {
        kind: NoteKind::Flavor,
        of: |given| Some(given.capture.target()?.flavor),
    },
    Fact {
        kind: NoteKind::Host,
        of: |given| Some(given.capture.target()?.host),
    },
    Fact {
        kind: NoteKind::SchedulersOnline,
        of: schedulers_online,
    },
];

/// How many normal schedulers might run, `2`, or `2 to 4` where that changed.
fn schedulers_online(given: &CaptureToCompare<'_>) -> Option<String> {
    let seen = given.capture.quality()?.schedulers_online?;
    let moments = [seen.at_start, seen.at_end].into_iter().flatten();
    let known: Vec<u32> = moments
        .map(|it| match it.blocked {
            // One at a time.
            Some(_) => it.normal.online.min(1),
            None => it.normal.online,
        })
        .collect();
    let (least, most) = (known.iter().min()?, known.iter().max()?);
    Some(match least == most {
        true => least.to_string(),
        false => format!("{least} to {most}"),
    })
}

/// The differences beside the program.
pub fn notes(base: &Side<'_>, new: &Side<'_>, counting: Counting) -> Vec<Note> {
    let mut notes = Vec::new();
    if base.captures.len() < 2 || new.captures.len() < 2 {
        notes.push(Note::of(NoteKind::OneCapture, &[]));
    }
    // Machines are compared capture by capture.
    let facts = FACTS.iter().filter(|fact| fact.kind != NoteKind::Host);
    notes.extend(facts.filter_map(|fact| fact.note(base, new)));
    if counting.merges_kernel {
        notes.push(Note::of(NoteKind::Kernel, &[]));
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

    /// From the facts of the captures of each side.
    fn note_of(&self, base: Vec<String>, new: Vec<String>) -> Option<Note> {
        let (base, new) = (listed(base), listed(new));
        let differs = base != new && !base.is_empty() && !new.is_empty();
        differs.then(|| Note::of(self.kind, &[&base, &new]))
    }
}

/// The texts that are not empty, each once.
fn listed(values: Vec<String>) -> String {
    let values = values.into_iter().filter(|text| !text.is_empty());
    let different: BTreeSet<String> = values.inserted();
    different.into_iter().collect::<Vec<_>>().join(" and ")
}

/// A capture's facts that should be the same for all, for code that does not keep the capture.
pub fn facts_of(given: &CaptureToCompare<'_>) -> Vec<(NoteKind, String)> {
    let facts = FACTS
        .iter()
        .filter_map(|fact| Some((fact.kind, (fact.of)(given)?)));
    facts.collect()
}

/// The differences in these facts between two groups of captures.
pub fn differing_facts(base: &[(NoteKind, String)], new: &[(NoteKind, String)]) -> Vec<Note> {
    let texts = |facts: &[(NoteKind, String)], kind: NoteKind| {
        let of_kind = facts.iter().filter(|(of, _)| *of == kind);
        of_kind.map(|(_, text)| text.clone()).collect()
    };
    let notes = FACTS
        .iter()
        .filter_map(|fact| fact.note_of(texts(base, fact.kind), texts(new, fact.kind)));
    notes.collect()
}

fn notes_of_capture(given: &CaptureToCompare<'_>) -> Vec<Note> {
    let name = given.name.as_str();
    let mut notes = Vec::new();
    if given.capture.truncated() {
        notes.push(Note::of(NoteKind::Truncated, &[name]));
    }
    if let Some(missing) = given.capture.quality().and_then(|it| it.gaps.missing_end) {
        let kind = match missing.reason {
            MissingEndReason::NotClosed => NoteKind::NotClosed,
            MissingEndReason::DiskFull | MissingEndReason::WriteFailed => NoteKind::NotWritten,
        };
        notes.push(Note::of(kind, &[name]));
    }
    if given.has_samples() && given.last_bucket_ms() == 0 && given.seconds() > 1.0 {
        notes.push(Note::of(NoteKind::NoTimes, &[name]));
    }
    notes
}

fn length_note(base: &Side<'_>, new: &Side<'_>) -> Option<Note> {
    let mean = |side: &Side<'_>| {
        let seconds = side.captures.iter().map(CaptureToCompare::seconds);
        // A length of 0 is not known.
        let known: Vec<f64> = seconds.filter(|seconds| *seconds > 0.0).collect();
        known.iter().sum::<f64>() / known.len().max(1) as f64
    };
    let (a, b) = (mean(base), mean(new));
    let differs = a > 0.0 && b > 0.0 && (a / b > 2.0 || b / a > 2.0);
    let (a, b) = (format!("{a:.1}"), format!("{b:.1}"));
    differs.then(|| Note::of(NoteKind::Duration, &[&a, &b]))
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
    let is_first = last_of_new < first_of_base;
    is_first.then(|| Note::of(NoteKind::Order, &[&new.name, &base.name]))
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
