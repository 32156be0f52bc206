//! Whether one VM can be read and sampled.

use attach::{AttachError, Check, CheckRow, attach, self_check};
use perf_ring::event::best_settings;
use protocol::discovery::DoctorRow;
use protocol::discovery::DoctorStatus::{Fail, Ok as Good, Warn};
use recorder::RecordError;
use vm_layout::TableError;

use super::machine::wanted_event;
use super::{is_missing, row};
use crate::refusal::{Refusal, RefusalKind, other_build_fix, setcap};

/// What can be done when the VM itself is not as expected.
const REPORT: &str = "extrospect doctor PID --json > doctor.json, and report it with that file";

/// The rows about `pid`, and what stands in the way of sampling it.
pub fn check(pid: u32) -> (Vec<DoctorRow>, Option<Refusal>) {
    let needed = "an Erlang VM that we may read";
    let mut vm = match attach(pid) {
        Ok(vm) => vm,
        Err(error) => {
            let refusal = Refusal::from(&error);
            return (
                vec![row(
                    "attach",
                    Fail,
                    error.to_string(),
                    needed,
                    Some(fix_of(&error)),
                )],
                Some(refusal),
            );
        }
    };
    let took_ms = vm.times.total.as_secs_f64() * 1000.0;
    let mut rows = vec![row(
        "attach",
        Good,
        format!("attached to {pid} in {took_ms:.0} ms"),
        needed,
        None,
    )];
    rows.extend(self_check(&mut vm).iter().map(self_check_row));
    let needed = "an event can be opened on it";
    match best_settings(wanted_event(), pid) {
        Ok(settings) => {
            rows.push(row(
                "sampling this VM",
                Good,
                settings.kind.name(),
                needed,
                None,
            ));
            (rows, None)
        }
        Err(error) => {
            rows.push(row(
                "sampling this VM",
                Fail,
                error.to_string(),
                needed,
                Some(setcap()),
            ));
            (rows, Some(Refusal::from(&RecordError::from(error))))
        }
    }
}

fn fix_of(error: &AttachError) -> &'static str {
    if let AttachError::Unsupported(TableError::OtherBuild { build, .. }) = error {
        return other_build_fix(*build);
    }
    match Refusal::from(error).kind {
        _ if is_missing(error) => "extrospect list",
        RefusalKind::NotPermitted => setcap(),
        RefusalKind::TargetGone | RefusalKind::NoTarget => "extrospect list",
        RefusalKind::Other => REPORT,
    }
}

/// A row of the attach self-check as a row of `doctor`.
pub fn self_check_row(checked: &CheckRow) -> DoctorRow {
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
        checked.check.name(),
        status,
        checked.found.clone(),
        needed,
        Some(REPORT),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

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
