//! `doctor`: what sampling needs, what of it is there, and the command that mends what is not.

mod bpf_row;
mod limits;
mod machine;
mod rows;
mod target;

pub use target::self_check_row;

use attach::AttachError;
use protocol::discovery::{DoctorResult, DoctorRow, DoctorStatus};
use protocol::explanation::ActionableMessages;
use protocol::message::{Messages, Text, texts};

use crate::refusal::{Refusal, RefusalKind};

/// What was checked, and what stands in the way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnosis {
    /// One row for each check.
    pub result: DoctorResult,
    /// Why sampling or attaching cannot work; `None` when it can.
    pub obstacle: Option<Refusal>,
}

/// Checks this machine and ourselves, and process `pid` if there is one. Takes some 100 ms.
pub fn doctor(pid: Option<u32>) -> Diagnosis {
    let facts = machine::look(pid);
    let mut rows = rows::machine_rows(&facts);
    let mut obstacle = machine_obstacle(&rows, facts.events.is_err());
    if let Some(pid) = pid {
        let (target_rows, refused) = target::check(pid);
        rows.extend(target_rows);
        obstacle = match refused {
            // Who asks about a process wants to hear about that process first.
            Some(refused) => Some(refused),
            // What stands in the way of other VMs does not matter to one that can be read.
            None if facts.events.is_ok() => None,
            None => obstacle,
        };
        if obstacle.is_none() {
            obstacle = failing_rows(&rows, rows::CHECKS_OF_SAMPLING);
        }
    }
    Diagnosis {
        result: DoctorResult { rows },
        obstacle,
    }
}

fn machine_obstacle(rows: &[DoctorRow], events_denied: bool) -> Option<Refusal> {
    let failing = failing_names(rows, |_| true);
    if failing.is_empty() {
        return None;
    }
    let only_limits = failing
        .iter()
        .all(|name| rows::CHECKS_OF_LIMITS.contains(name));
    let kind = if only_limits && !events_denied {
        RefusalKind::Other
    } else {
        RefusalKind::NotPermitted
    };
    Some(refusal_of(kind, &failing))
}

fn failing_rows(rows: &[DoctorRow], harmless: &[&str]) -> Option<Refusal> {
    let failing = failing_names(rows, |name| !harmless.contains(&name));
    (!failing.is_empty()).then(|| refusal_of(RefusalKind::Other, &failing))
}

fn failing_names(rows: &[DoctorRow], counts: impl Fn(&str) -> bool) -> Vec<&str> {
    rows.iter()
        .filter(|row| row.status == DoctorStatus::Fail && counts(&row.check))
        .map(|row| row.check.as_str())
        .collect()
}

fn refusal_of(kind: RefusalKind, failing: &[&str]) -> Refusal {
    let what = texts::NOT_ALL_THERE.with(&[("checks", &failing.join(", "))]);
    Refusal::new(kind, what, texts::TO_READ_ROWS.text())
}

/// What mends a row that is not as it should be.
enum Mend {
    /// A shell command.
    Command(String),
    /// Something to do.
    Advice(Text),
}

impl Mend {
    fn command(command: &str) -> Self {
        Self::Command(command.to_owned())
    }
}

/// A row of `doctor`.
fn row(
    check: Text,
    status: DoctorStatus,
    found: Text,
    needed: Text,
    mend: Option<Mend>,
) -> DoctorRow {
    let mut messages = Messages::new();
    let (fix, command) = match mend.filter(|_| status != DoctorStatus::Ok) {
        None => (None, None),
        Some(Mend::Command(command)) => (Some(command.clone()), Some(command)),
        Some(Mend::Advice(advice)) => (Some(advice.tell("fix", &mut messages)), None),
    };
    DoctorRow {
        check: check.tell("check", &mut messages),
        status,
        found: found.tell("found", &mut messages),
        needed: needed.tell("needed", &mut messages),
        fix,
        actionable: ActionableMessages { messages, command },
    }
}

/// True when the error is about the process, not about our rights.
fn is_missing(error: &AttachError) -> bool {
    matches!(
        error,
        AttachError::NoSuchProcess { .. } | AttachError::NotABeam { .. }
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_process_is_no_vm_and_that_is_the_obstacle() {
        let diagnosis = doctor(Some(std::process::id()));
        let obstacle = diagnosis.obstacle.unwrap();
        assert_eq!(obstacle.kind, RefusalKind::NoTarget);
        let attach = diagnosis
            .result
            .rows
            .iter()
            .find(|row| row.check == "attach")
            .unwrap();
        assert_eq!(attach.status, DoctorStatus::Fail);
    }

    #[test]
    fn whatever_does_not_pass_here_names_what_mends_it_or_cannot_be_mended() {
        for row in doctor(None).result.rows {
            assert!(!row.found.is_empty() && !row.needed.is_empty(), "{row:?}");
            assert!(
                row.status != DoctorStatus::Fail || row.fix.is_some(),
                "{row:?}"
            );
        }
    }

    #[test]
    fn failing_limits_are_no_matter_of_permission() {
        let failing = |check: &str| {
            let text = Text::plain;
            row(
                text(check),
                DoctorStatus::Fail,
                text("8"),
                text("100"),
                None,
            )
        };
        let (limit, denied) = (failing("open files"), failing("sampling"));
        let kind = |rows: &[DoctorRow], denied| machine_obstacle(rows, denied).map(|o| o.kind);
        assert_eq!(kind(&[], false), None);
        assert_eq!(
            kind(std::slice::from_ref(&limit), false),
            Some(RefusalKind::Other)
        );
        assert_eq!(
            kind(&[limit, denied], true),
            Some(RefusalKind::NotPermitted)
        );
    }
}
