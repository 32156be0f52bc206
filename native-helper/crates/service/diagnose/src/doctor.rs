//! `doctor`: the requirements of sampling, whether each is met, and the command that meets it.

mod bpf_row;
mod c_names_row;
mod capabilities;
mod check;
mod checked_row;
mod limits;
mod machine;
mod processor_rows;
mod remedy;
mod rows;
mod target;

pub use target::self_check_row;

use attach::AttachError;
use checked_row::CheckedRow;
use protocol::discovery::DoctorResult;
use protocol::message::texts;

use crate::look::Looker;
use crate::refusal::{Refusal, RefusalKind};

/// The checks, and the obstacle if there is one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnosis {
    /// One row for each check.
    pub result: DoctorResult,
    /// Why sampling or attaching cannot work; `None` when it can.
    pub obstacle: Option<Refusal>,
}

/// Checks this machine and ourselves, and process `pid` if there is one: `looker` finds out first
/// whether it can be read; then this process is locked in for it, and can only read it and print. Takes some 100 ms.
pub fn doctor(pid: Option<u32>, looker: &Looker) -> Diagnosis {
    let facts = machine::look(pid);
    let mut rows = rows::machine_rows(&facts);
    let mut obstacle = machine_obstacle(&rows, facts.events.is_err());
    if let Some(pid) = pid {
        let (target_rows, refused) = target::check(pid, looker, &facts);
        rows.extend(target_rows);
        obstacle = match refused {
            // A user who names a process wants the answer about that process first.
            Some(refused) => Some(refused),
            // An obstacle to other VMs does not matter to one that can be read.
            None if facts.events.is_ok() => None,
            None => obstacle,
        };
        if obstacle.is_none() {
            obstacle = obstacle_of_target(&rows);
        }
    }
    let rows = rows.into_iter().map(|checked| checked.shown).collect();
    Diagnosis {
        result: DoctorResult { rows },
        obstacle,
    }
}

fn machine_obstacle(rows: &[CheckedRow], events_denied: bool) -> Option<Refusal> {
    let failing: Vec<&CheckedRow> = rows.iter().filter(|row| row.is_failing()).collect();
    let only_limits = failing.iter().all(|row| row.check.is_limit());
    let kind = if only_limits && !events_denied {
        RefusalKind::Other
    } else {
        RefusalKind::NotPermitted
    };
    refusal_of(kind, &failing)
}

/// The obstacle to sampling a VM that could be attached to and sampled.
fn obstacle_of_target(rows: &[CheckedRow]) -> Option<Refusal> {
    let counts = |row: &&CheckedRow| row.is_failing() && !row.check.is_mere_setting();
    let failing: Vec<&CheckedRow> = rows.iter().filter(counts).collect();
    refusal_of(RefusalKind::Other, &failing)
}

/// `None` when nothing fails.
fn refusal_of(kind: RefusalKind, failing: &[&CheckedRow]) -> Option<Refusal> {
    if failing.is_empty() {
        return None;
    }
    let names: Vec<&str> = failing.iter().map(|row| row.shown.check.as_str()).collect();
    let what = texts::NOT_ALL_THERE.with(&[("checks", &names.join(", "))]);
    Some(Refusal::new(kind, what, texts::TO_READ_ROWS.text()))
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
    use super::check::DoctorCheck;
    use super::checked_row::row;
    use super::*;
    use protocol::discovery::DoctorStatus;
    use protocol::message::Text;

    #[test]
    fn whatever_does_not_pass_here_names_what_mends_it_or_cannot_be_mended() {
        for row in doctor(None, &Looker::Thread).result.rows {
            assert!(!row.found.is_empty() && !row.needed.is_empty(), "{row:?}");
            assert!(
                row.status != DoctorStatus::Fail || row.fix.is_some(),
                "{row:?}"
            );
        }
    }

    #[test]
    fn a_mere_setting_is_no_obstacle_to_a_vm_that_can_be_sampled() {
        let failing = |check| {
            let text = Text::plain;
            row(check, DoctorStatus::Fail, text("8"), text("100"), None)
        };
        let settings = [DoctorCheck::Yama, DoctorCheck::Seccomp].map(failing);
        assert_eq!(obstacle_of_target(&settings), None);
        let layout = failing(DoctorCheck::SelfCheck(attach::Check::Layout));
        let refusal = obstacle_of_target(&[layout]).unwrap();
        assert!(refusal.explanation.what.contains("layout"), "{refusal}");
    }

    #[test]
    fn failing_limits_are_no_matter_of_permission() {
        let failing = |check| {
            let text = Text::plain;
            row(check, DoctorStatus::Fail, text("8"), text("100"), None)
        };
        let limit = failing(DoctorCheck::OpenFiles);
        let denied = failing(DoctorCheck::Sampling);
        let kind = |rows: &[CheckedRow], denied| machine_obstacle(rows, denied).map(|o| o.kind);
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
