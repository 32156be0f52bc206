//! The words of notes, one list. The editor has the same sentences in its languages (`NOTES` of
//! `webviews/compare/strings.ts`); `test/unit/compare/note-words.test.ts` compares both.

use crate::notes::{Note, NoteKind};

/// By kind, with `{0}` for the first value: sentences as the editor's, but the first letter is a small one and the last
/// full stop is missing. Of several forms the first counts whose values are all known.
const WORDS: &[(NoteKind, &str)] = &[
    (
        NoteKind::OneCapture,
        "one capture on a side: only time within a run was resampled. The difference between runs is assumed; several captures per side would measure it",
    ),
    (
        NoteKind::Frequency,
        "sampled at {0} Hz and at {1} Hz: counts are scaled by the time that each sample represents",
    ),
    (
        NoteKind::Event,
        "sampled by {0} and by {1}: cycles run faster on a boosted core, which alone can change shares",
    ),
    (
        NoteKind::Engine,
        "stacks by {0} and by {1}: with readv some stay unproven, which lowers totals",
    ),
    (
        NoteKind::Kernel,
        "only one side has kernel functions: they count as one, [kernel]",
    ),
    (
        NoteKind::KernelTimeOnOneSide,
        "{0} lacks time in the kernel, at least {2} % of the processor time, and {1} has it: all work of the kernel counts as a change here, and shifts the shares of all functions",
    ),
    (
        NoteKind::KernelTimeOnOneSide,
        "{0} lacks time in the kernel and {1} has it: all work of the kernel counts as a change here, and shifts the shares of all functions",
    ),
    (
        NoteKind::KernelTimeUnknown,
        "{0} lacks time in the kernel, at least {2} % of the processor time, and {1} does not contain whether it has it: this alone can change shares",
    ),
    (
        NoteKind::KernelTimeUnknown,
        "{0} lacks time in the kernel, and {1} does not contain whether it has it: this alone can change shares",
    ),
    (
        NoteKind::KernelTimeNotRecorded,
        "{0} does not contain whether it has time in the kernel, and {1} has it: this alone can change shares",
    ),
    (
        NoteKind::NoKernelTime,
        "user code only: no capture has time in the kernel, which was at least {2} % of the processor time of one of them",
    ),
    (
        NoteKind::NoKernelTime,
        "user code only: no capture has time in the kernel",
    ),
    (
        NoteKind::Duration,
        "captures of {0} s and of {1} s: rare work of the VM is in the longer ones only",
    ),
    (
        NoteKind::Release,
        "OTP {0} and OTP {1}: OTP itself, not the program, may be the cause of changes",
    ),
    (
        NoteKind::Flavor,
        "{0} and {1}: times of their functions are not comparable",
    ),
    (
        NoteKind::Host,
        "taken on {0} and on {1}: machines differ in speed",
    ),
    (
        NoteKind::Order,
        "the recording of {0} began before that of {1}",
    ),
    (
        NoteKind::Truncated,
        "{0} ends in the middle; its complete part is compared",
    ),
    (
        NoteKind::NotClosed,
        "{0} was not closed: it is still being written, is a copy from that time, or its writer was ended. The samples after its last increment are missing",
    ),
    (
        NoteKind::NotWritten,
        "{0} could not be written to its end: the disk was full, or failed. The samples after its last increment are missing",
    ),
    (
        NoteKind::NoTimes,
        "{0} does not contain the times of its samples: each counts as independent of the others",
    ),
    (
        NoteKind::Disagreement,
        "{0} figures changed by share but not by CPU per second, for example of {1} ({2} self, {3} total, {4} own). Shares grow when others shrink",
    ),
    (
        NoteKind::ShareAgainstWork,
        "{0} figures changed by share but not by CPU per unit of work, for example of {1} ({2} self, {3} total, {4} own). Shares grow when others shrink",
    ),
    (
        NoteKind::LoadAgainstWork,
        "{0} figures changed by CPU per second but not by CPU per unit of work, for example of {1} ({2} self, {3} total, {4} own). There was more or less work",
    ),
    (
        NoteKind::WorkCut,
        "{0} was cut short before work ({1}) was counted again, so its work is not used",
    ),
    (
        NoteKind::WorkNotRead,
        "{0}: work ({1}) could not be counted at the end: {2}",
    ),
    (
        NoteKind::WorkBackwards,
        "{0}: the counter of {1} went backwards, from {2} to {3}. The counting program was restarted, so its work is not used",
    ),
    (
        NoteKind::WorkStoodStill,
        "{0}: the counter of {1} stood still, so its work is not used",
    ),
    (
        NoteKind::WorkPartly,
        "only some captures counted their work, so it is not compared",
    ),
    (
        NoteKind::WorkDiffers,
        "some captures count {0}, others {1}: that is not compared",
    ),
    (
        NoteKind::Load,
        "{0} {1} per second before, {2} after: CPU per second differs by that alone",
    ),
    (
        NoteKind::OtherTool,
        "{0} is from another tool ({1}): frames that tools omit from stacks, as perf omits Erlang code below C code, count as a change here",
    ),
    (
        NoteKind::OtherTool,
        "{0} is from another tool: frames that tools omit from stacks, as perf omits Erlang code below C code, count as a change here",
    ),
    (
        NoteKind::WaitingCounts,
        "{0} does not separate waiting from work: waiting counts on both sides",
    ),
    (
        NoteKind::ArityChanged,
        "not matched: {0}, for example {1}. Their arities changed, and the sources of both commits, which could show which is which, are missing or inconclusive",
    ),
    (
        NoteKind::NotToldApart,
        "not matched: {0}, including {1}. They have the same name, and one side has nothing else to distinguish them",
    ),
    (
        NoteKind::MatchingCut,
        "the text of {0} functions was not compared with those of the other side, which would show which were renamed: too many have no counterpart by name, and some of those that are new or gone may be the same",
    ),
    (
        NoteKind::FamiliesCut,
        "{0} functions are matched by name alone: their names have more than {1} arities on a side",
    ),
    (
        NoteKind::LinesCut,
        "{0} lines were not compared with those of the other side: of each function that may have another name there, the first {1} are",
    ),
    (
        NoteKind::WordsCut,
        "{0} words were not compared with those of the other side: of each function whose arity may have changed, the first {1} are",
    ),
    (
        NoteKind::ModulesCut,
        "the code of {0} modules was not read: their files have more than {1} each",
    ),
    (
        NoteKind::TextsCut,
        "the code in {0} source files was not read: a text, a bracket or a block in them does not end, or not within the limits of the scanner",
    ),
    (
        NoteKind::MacroNamesCut,
        "functions of files that use a changed macro may count as the same: {0} files with macros have more than {1} modules each, and the macros of the others were not compared",
    ),
    (
        NoteKind::MacrosUnread,
        "functions of files that use a changed macro may count as the same: {0} files of Elixir were not read to their end, since texts in them do not end",
    ),
    (
        NoteKind::IncludesUnread,
        "{0} headers or files with macros could not be read: they count as changed, and functions of files that include or use them as touched",
    ),
    (
        NoteKind::HeadersUnknown,
        "functions of files that include a changed header may count as the same: not all headers were read",
    ),
    (
        NoteKind::MacrosUnknown,
        "functions of files that use a changed macro may count as the same: not all changed files were read",
    ),
    (
        NoteKind::TransformsUnknown,
        "functions of files that use a changed parse transform may count as the same: not all settings of rebar3 (rebar.config) were read",
    ),
    (
        NoteKind::RenamesUnknown,
        "renamed files count as different files: git did not list the renames in time",
    ),
    (
        NoteKind::BuildDiffers,
        "settings of the build or dependencies differ between both commits ({0}): each function of the project counts as touched, unless both sides ran the same build of its module",
    ),
    (
        NoteKind::FindingsCut,
        "{0} more functions whose work moved are not listed: only the {1} largest are",
    ),
    (
        NoteKind::TimesCut,
        "{0} s of captures were not searched for how long samples are alike, which is the length of blocks: only the first {1} s of each are",
    ),
    (
        NoteKind::SourcesCut,
        "the texts of {0} source files are unknown: git does not have them, or did not give them in time, or they exceed a limit ({1} files of each side)",
    ),
    (
        NoteKind::OwnCut,
        "{0}: {1}. Code there does not count as own",
    ),
    (
        NoteKind::SameCapture,
        "{0} was given more than once and counts once",
    ),
    (
        NoteKind::OnBothSides,
        "{0} is on both sides: it does not differ from itself",
    ),
    (
        NoteKind::SeveralCommits,
        "{0} mixes captures of several commits ({1}). Differences between them count as noise",
    ),
    (
        NoteKind::SameCommit,
        "both sides are commit {0}. Differences are chance, or come from the build or the run",
    ),
    (
        NoteKind::Dirty,
        "taken with changes to {1} that were not committed: {0}",
    ),
    (
        NoteKind::UncommittedHeaders,
        "changes to headers, macros and settings of the build that were not committed are not compared: whether they touched a function whose text is the same is not known, unless both sides ran the same build of its module",
    ),
    (
        NoteKind::OtherProject,
        "captures of two projects: {0} and {1}",
    ),
    (
        NoteKind::NothingInCommon,
        "{0} and {1} have no Erlang function in common: all of the one is gone, and all of the other is new",
    ),
    (
        NoteKind::Beside,
        "the machine had a load of {0} before and of {1} after: the program shares caches and clocks with the rest of the load",
    ),
    (
        NoteKind::NameAlone,
        "functions are matched by name alone: {0}",
    ),
    (
        NoteKind::OwnOfToday,
        "own code of {0} is the files below {1} today, so modules that were renamed or removed since then do not count: {2}",
    ),
    (
        NoteKind::OwnByPaths,
        "own code of {0} is derived from the source paths that they contain: {1}",
    ),
    (
        NoteKind::PairsAsGiven,
        "{0} does not contain when it was taken: captures are paired in the order in which they were given",
    ),
    (
        NoteKind::WrongPairs,
        "{0} and {1} were taken one after the other, and both are of one side: the captures of a pair do not share the state of the machine",
    ),
    (
        NoteKind::OtherMachine,
        "{0} was taken on {1} and {2} on {3}: machines differ in speed",
    ),
    (
        NoteKind::MachineTakenOut,
        "{0} functions of the same code all changed by one factor, {1} % ({2} to {3}), as on a slower, faster or busier machine. It is taken out of the changes of functions and not of the whole",
    ),
    (
        NoteKind::MachineNotTakenOut,
        "{0} functions of the same code all changed by one factor, {1} % ({2} to {3}), as on a slower, faster or busier machine. It is too large or too uncertain to be taken out of any figure",
    ),
    (
        NoteKind::MachineOfWhole,
        "{0} functions of the same code all changed by one factor, {1} % ({2} to {3}), as on a slower, faster or busier machine. It is in the change of the whole, and not in shares",
    ),
    (
        NoteKind::ProcessorFrequency,
        "processors ran at {0} to {1} MHz before and at {2} to {3} MHz after: figures of processor time can differ by that alone",
    ),
    (
        NoteKind::ProcessorTimeLost,
        "{0} was kept from processors, by a quota or a hypervisor, for {1} % of the time that it used, and {2} was not: figures of processor time can differ by that alone",
    ),
    (
        NoteKind::WaitedForProcessors,
        "threads waited for a processor in {1} % of the time of {0}, and in {3} % of the time of {2}: figures of processor time can differ by that alone",
    ),
    (
        NoteKind::HaltedOnOneSide,
        "the VM was halted in {1} % of the time of {0}, and in {3} % of the time of {2}: CPU per second differs by that alone",
    ),
    (
        NoteKind::SamplesMissing,
        "no sample stands for up to {1} % of the busy time of {0}, and for up to {3} % of that of {2} (samples were lost or not written, sampling was paused, threads ended too soon, or blocks of time or page faults were lost or left out): figures can differ by that alone",
    ),
    (
        NoteKind::TracingOnOneSide,
        "calls were traced in {0} and not in {1}: tracing takes time of its own, which counts as that of the traced functions",
    ),
    (
        NoteKind::TracingUnknown,
        "calls were traced in {0}, and {1} does not contain whether they were: tracing takes time of its own, which counts as that of the traced functions",
    ),
    (
        NoteKind::ProcessTracingOnOneSide,
        "messages or events of processes were traced in {0} and not in {1}: tracing takes time of its own, which counts as that of the traced processes",
    ),
    (
        NoteKind::ProcessTracingUnknown,
        "messages or events of processes were traced in {0}, and {1} does not contain whether they were: tracing takes time of its own, which counts as that of the traced processes",
    ),
    (
        NoteKind::SchedulersOnline,
        "the schedulers that could run processes were {0} before and {1} after: CPU per second can differ by that alone",
    ),
];

impl Note {
    /// With the words of its kind.
    pub(crate) fn of(kind: NoteKind, values: &[&str]) -> Self {
        Self::new(kind, values, in_words(kind, values))
    }
}

/// The words of a note with these values.
pub fn in_words(kind: NoteKind, values: &[&str]) -> String {
    let forms = WORDS.iter().filter(|(of, _)| *of == kind);
    let mut text = String::new();
    for (_, words) in forms {
        let (form, is_known) = filled(words, values);
        text = form;
        if is_known {
            break;
        }
    }
    text
}

/// The text, and whether each of its values is known. A place within a value stays as it is.
fn filled(words: &str, values: &[&str]) -> (String, bool) {
    let (mut text, mut is_known) = (String::new(), true);
    let mut rest = words;
    while let Some((before, after)) = rest.split_once('{') {
        let (number, behind) = after.split_once('}').unwrap_or((after, ""));
        let value = number.parse::<usize>().ok().and_then(|at| values.get(at));
        let value = value.copied().unwrap_or_default();
        is_known &= !value.is_empty();
        text.push_str(before);
        text.push_str(value);
        rest = behind;
    }
    text.push_str(rest);
    (text, is_known)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_stand_in_their_places_and_an_unknown_one_takes_another_form() {
        for (values, words) in [
            (["a{1}", "perf"], "a{1} is from another tool (perf): "),
            (["a", ""], "a is from another tool: "),
        ] {
            assert!(in_words(NoteKind::OtherTool, &values).starts_with(words));
        }
        let nameless = in_words(NoteKind::Truncated, &[""]);
        assert_eq!(
            nameless,
            " ends in the middle; its complete part is compared"
        );
    }
}
