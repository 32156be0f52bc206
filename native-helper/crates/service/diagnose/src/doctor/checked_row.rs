//! A row of `doctor` in the making.

use protocol::discovery::{DoctorRow, DoctorStatus};
use protocol::explanation::ActionableMessages;
use protocol::message::{Messages, Text};

use super::check::DoctorCheck;

/// The remedy of a row that is not as it should be.
pub enum Mend {
    /// A shell command.
    Command(String),
    /// Something to do.
    Advice(Text),
}

impl Mend {
    /// A command that never changes.
    pub fn command(command: &str) -> Self {
        Self::Command(command.to_owned())
    }
}

/// A row of `doctor` with its check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckedRow {
    /// The check.
    pub check: DoctorCheck,
    /// As it is shown.
    pub shown: DoctorRow,
}

impl CheckedRow {
    /// Does not work.
    pub fn is_failing(&self) -> bool {
        self.shown.status == DoctorStatus::Fail
    }
}

/// The row of one check.
pub fn row(
    check: DoctorCheck,
    status: DoctorStatus,
    found: Text,
    needed: Text,
    mend: Option<Mend>,
) -> CheckedRow {
    let mut messages = Messages::new();
    let (fix, command) = match mend.filter(|_| status != DoctorStatus::Ok) {
        None => (None, None),
        Some(Mend::Command(command)) => (Some(command.clone()), Some(command)),
        Some(Mend::Advice(advice)) => (Some(advice.with_message("fix", &mut messages)), None),
    };
    let shown = DoctorRow {
        check: check.name().with_message("check", &mut messages),
        status,
        found: found.with_message("found", &mut messages),
        needed: needed.with_message("needed", &mut messages),
        fix,
        actionable: ActionableMessages { messages, command },
    };
    CheckedRow { check, shown }
}
