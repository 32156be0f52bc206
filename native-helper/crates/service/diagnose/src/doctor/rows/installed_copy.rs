//! The row about the copy that root has installed.

use privileged_copy::{CopyStatus, DEFAULT_FOLDER, DEFAULT_GROUP, Likeness, PROGRAM_NAME};
use protocol::discovery::DoctorStatus::{Ok as Good, Warn};
use protocol::message::texts;

use crate::doctor::check::DoctorCheck;
use crate::doctor::checked_row::{CheckedRow, Mend, row};
use crate::doctor::machine::MachineFacts;
use crate::rights::install_command;

/// Whether there is one, and whether it is a copy of this program. None is no fault.
pub fn installed_copy(facts: &MachineFacts) -> CheckedRow {
    let path = format!("{DEFAULT_FOLDER}/{PROGRAM_NAME}");
    let (status, found, mend) = match &facts.installed_copy {
        CopyStatus::Absent if facts.is_privileged_copy => (Good, texts::FOUND_IS_COPY.text(), None),
        CopyStatus::Absent => (Good, texts::FOUND_NO_COPY.with(&[("path", &path)]), None),
        CopyStatus::NotForYou => {
            let join = format!("sudo usermod -aG {DEFAULT_GROUP} \"$USER\"");
            let found = texts::FOUND_COPY_NOT_FOR_YOU.with(&[("path", &path)]);
            (Warn, found, Some(Mend::Command(join)))
        }
        CopyStatus::There(Likeness::Same) => {
            let found = texts::FOUND_SAME_COPY
                .with(&[("path", &path), ("version", &env!("CARGO_PKG_VERSION"))]);
            (Good, found, None)
        }
        CopyStatus::There(Likeness::Other { version }) => {
            let version = version.as_deref().unwrap_or("?");
            let found = texts::FOUND_OTHER_COPY.with(&[("path", &path), ("version", &version)]);
            (Warn, found, Some(Mend::command(install_command())))
        }
    };
    let needed = texts::NEED_COPY.text();
    row(DoctorCheck::InstalledCopy, status, found, needed, mend)
}
