//! Whether one VM can be read and sampled.

use attach::{AttachError, AttachedVm, Check, CheckRow, TracedProcesses, attach, self_check};
use lockdown::Phase;
use perf_ring::event::best_settings;
use permitted_target::Raised;
use protocol::discovery::DoctorRow;
use protocol::discovery::DoctorStatus::{self, Fail, Ok as Good, Warn};
use protocol::message::{Text, texts};
use recorder::{RecordError, processors_since, schedulers_online};
use target_proc::ProcFs;
use vm_layout::TableError;

use super::c_names_row::c_names_row;
use super::check::DoctorCheck;
use super::checked_row::{CheckedRow, Mend, row};
use super::is_missing;
use super::machine::{MachineFacts, wanted_event};
use super::processor_rows::{quota_row, schedulers_row};
use super::remedy::to_get_rights;
use crate::lock_in::lock_in;
use crate::look::{Looker, expect_answer};
use crate::refusal::{Refusal, RefusalKind, open_error, other_build_fix};
use crate::shortage;
use crate::standstill::standstill;

/// The remedy when the VM itself is not as expected.
const REPORT: &str = "extrospect doctor PID --json > doctor.json, and report it with that file";

/// The rows about `pid`, and the obstacle to sampling it. This process is locked in for it.
pub fn check(
    pid: u32,
    looker: &Looker,
    facts: &MachineFacts,
) -> (Vec<CheckedRow>, Option<Refusal>) {
    let mut vm = match attached(pid, looker, facts) {
        Ok(vm) => vm,
        Err((refusal, mend)) => {
            let what = refusal.explanation.what_text();
            let needed = texts::NEED_VM.text();
            let row = row(DoctorCheck::Attach, Fail, what, needed, Some(mend));
            return (vec![row], Some(refusal));
        }
    };
    let limits = ProcFs::live().cpu_limits(pid);
    let took_ms = format!("{:.0}", vm.times.total.as_secs_f64() * 1000.0);
    let found = texts::FOUND_ATTACHED.with(&[("pid", &pid), ("ms", &took_ms)]);
    let needed = texts::NEED_VM.text();
    let mut rows = vec![row(DoctorCheck::Attach, Good, found, needed, None)];
    rows.extend(self_check(&mut vm).iter().map(checked_row));
    rows.push(c_names_row(pid, &vm.objects));
    rows.extend(tracing_row(&mut vm));
    rows.extend(process_tracing_row(&mut vm));
    if let Ok(online) = vm.schedulers_now() {
        let online = online.map_err(|why| why.to_string());
        rows.push(schedulers_row(online.map(|now| schedulers_online(&now))));
    }
    let by_now = ProcFs::live().cpu_limits(pid);
    rows.push(quota_row(&processors_since(&limits, &by_now)));
    let (event, refused) = event_on(pid, facts);
    rows.push(event);
    rows.extend(runs_row(pid));
    (rows, refused)
}

fn attached(
    pid: u32,
    looker: &Looker,
    facts: &MachineFacts,
) -> Result<AttachedVm, (Refusal, Mend)> {
    expect_answer(pid, looker).map_err(advised)?;
    // The only actions left are to read it and to print.
    lock_in(pid, vec![1, 2], Phase::Opening).map_err(advised)?;
    attach(pid).map_err(|error| (Refusal::from(&error), mend_of(&error, facts)))
}

fn advised(refusal: Refusal) -> (Refusal, Mend) {
    let mend = Mend::Advice(refusal.explanation.fix_text());
    (refusal, mend)
}

/// Which functions are traced: that costs the VM time, and is not the profiler's doing.
fn tracing_row(vm: &mut AttachedVm) -> Option<CheckedRow> {
    let mut mend = None;
    let (status, found) = match vm.traced_functions().ok()? {
        None => (Warn, texts::FOUND_TRACING_UNKNOWN.text()),
        Some(found) if found.traced == 0 => (
            Good,
            texts::FOUND_NOT_TRACED.with(&[("functions", &found.looked_at)]),
        ),
        Some(found) => {
            mend = Some(Mend::Advice(texts::TO_STOP_TRACING.text()));
            let found = texts::FOUND_TRACED.with(&[
                ("traced", &found.traced),
                ("functions", &found.looked_at),
                ("reported", &found.reported),
                ("counted", &found.counted),
                ("timed", &found.timed),
                ("measured", &found.measured),
            ]);
            (Warn, found)
        }
    };
    let needed = texts::NEED_NOT_TRACED.text();
    Some(row(DoctorCheck::Tracing, status, found, needed, mend))
}

/// Whether messages and events of processes are traced.
fn process_tracing_row(vm: &mut AttachedVm) -> Option<CheckedRow> {
    let found = vm.traced_processes().ok()?;
    let mend = found
        .filter(|found| found.traced > 0)
        .map(|_| Mend::Advice(texts::TO_STOP_TRACING.text()));
    let (status, found) = processes_text(found);
    let needed = texts::NEED_NO_PROCESS_TRACED.text();
    let check = DoctorCheck::ProcessTracing;
    Some(row(check, status, found, needed, mend))
}

fn processes_text(found: Option<TracedProcesses>) -> (DoctorStatus, Text) {
    let Some(found) = found else {
        return (Warn, texts::FOUND_PROCESS_TRACING_UNKNOWN.text());
    };
    if found.traced == 0 && found.left_out == 0 {
        let processes = texts::FOUND_NO_PROCESS_TRACED.with(&[("processes", &found.looked_at)]);
        return (Good, processes);
    }
    let figures: [(&str, &dyn std::fmt::Display); 8] = [
        ("others", &found.left_out),
        ("traced", &found.traced),
        ("processes", &found.looked_at),
        ("sends", &found.sends),
        ("receives", &found.receives),
        ("events", &found.events),
        ("scheduling", &found.scheduling),
        ("collections", &found.collections),
    ];
    let text = match found.left_out {
        0 => texts::FOUND_PROCESSES_TRACED.with(&figures[1..]),
        _ => texts::FOUND_SOME_PROCESSES_TRACED.with(&figures),
    };
    (Warn, text)
}

/// A warning where nothing of the VM runs, or that is not known.
fn runs_row(pid: u32) -> Option<CheckedRow> {
    let why = standstill(pid).unwrap_or_else(Some)?;
    let mend = match &why.actionable.command {
        Some(command) => Mend::Command(command.clone()),
        None => Mend::Advice(why.fix_text()),
    };
    let needed = texts::NEED_RUNS.text();
    let found = why.what_text();
    Some(row(DoctorCheck::Runs, Warn, found, needed, Some(mend)))
}

/// Whether an event can be opened on a VM that was attached to.
fn event_on(pid: u32, facts: &MachineFacts) -> (CheckedRow, Option<Refusal>) {
    let needed = texts::NEED_EVENT_ON_VM.text();
    let _raised = Raised::for_sampling();
    let (status, found, mend, refused) = match best_settings(wanted_event(), pid) {
        Ok(settings) => (Good, Text::plain(settings.source.name()), None, None),
        Err(error) => (
            Fail,
            open_error(&error),
            Some(shortage::of_error(&error).map_or_else(|| to_get_rights(facts), Mend::Advice)),
            Some(Refusal::from(&RecordError::from(error))),
        ),
    };
    (
        row(DoctorCheck::ThisVm, status, found, needed, mend),
        refused,
    )
}

fn mend_of(error: &AttachError, facts: &MachineFacts) -> Mend {
    if let AttachError::Unsupported(TableError::OtherBuild { build, .. }) = error {
        return Mend::Advice(other_build_fix(*build));
    }
    // Our own commands are for terminals: an editor has other ways to do the same.
    match Refusal::from(error).kind {
        _ if matches!(error, AttachError::NotYours(_)) => {
            Mend::Advice(Refusal::from(error).explanation.fix_text())
        }
        _ if is_missing(error) => Mend::Advice(Text::plain("extrospect list")),
        // Its first step, by a command: the copy that is installed then names the policy.
        RefusalKind::NotPermitted => to_get_rights(facts),
        RefusalKind::TargetGone | RefusalKind::NoTarget => {
            Mend::Advice(Text::plain("extrospect list"))
        }
        RefusalKind::Other => Mend::Advice(Text::plain(REPORT)),
    }
}

/// A row of the attach self-check as a row of `doctor`.
pub fn self_check_row(checked: &CheckRow) -> DoctorRow {
    checked_row(checked).shown
}

fn checked_row(checked: &CheckRow) -> CheckedRow {
    let needed = match checked.check {
        Check::Release => "a release that is known",
        Check::Binaries => "every binary that the VM runs can be read",
        Check::Structures => {
            "each found, and where there are symbols in the same place without them"
        }
        Check::Layout => "field offsets that the VM's own code and processes confirm",
        Check::Code => "every loaded module can be read",
        Check::KnownModules => "the modules every node has",
        Check::Atoms => "1,000 or more, the first is `false`",
        Check::Bifs => "the table of built-in functions, 300 or more",
        Check::Callees => "callers agree, and symbols with them where there are any",
        Check::Schedulers => "at least one",
        Check::Processes => "the process table can be read",
        Check::NativeTables | Check::Names | Check::DebugFiles => "as expected",
    };
    // Without one library's symbols its frames have no names; the rest is as good as ever.
    let status = match (checked.ok, checked.check) {
        (true, _) => Good,
        (false, Check::Binaries) => Warn,
        (false, _) => Fail,
    };
    row(
        DoctorCheck::SelfCheck(checked.check),
        status,
        Text::plain(checked.found.clone()),
        Text::plain(needed),
        Some(Mend::Advice(Text::plain(REPORT))),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processes_that_are_not_known_or_not_looked_at_are_not_called_untraced() {
        let found = TracedProcesses {
            looked_at: 100,
            ..TracedProcesses::default()
        };
        let shown = |found| {
            let (status, text) = processes_text(found);
            (status, text.english)
        };
        let none = (Good, "none of 100 processes is traced".to_owned());
        assert_eq!(shown(Some(found)), none);
        assert_eq!(shown(None).0, Warn);
        let (status, text) = shown(Some(TracedProcesses {
            left_out: 7,
            ..found
        }));
        assert_eq!(status, Warn);
        assert!(
            text.starts_with(
                "0 of 100 processes are traced, and 7 others were not looked at: messages sent of 0,"
            ),
            "{text}"
        );
        let sends = TracedProcesses {
            traced: 3,
            sends: 3,
            ..found
        };
        let (status, text) = shown(Some(sends));
        assert_eq!(status, Warn);
        assert!(
            text.starts_with("3 of 100 processes are traced: messages sent of 3,"),
            "{text}"
        );
    }

    #[test]
    fn an_unreadable_library_is_a_warning_and_any_other_failed_check_a_failure() {
        let status = |check| {
            let found = "found".to_owned();
            let ok = false;
            self_check_row(&CheckRow { check, found, ok }).status
        };
        assert_eq!(status(Check::Binaries), Warn);
        for check in [Check::Layout, Check::Atoms, Check::Names, Check::Processes] {
            assert_eq!(status(check), Fail, "{check:?}");
        }
    }
}
