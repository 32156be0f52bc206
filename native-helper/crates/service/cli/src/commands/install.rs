//! `install` and `uninstall`: the copy of the helper with rights of its own.

use privileged_copy::{GroupName, InstallError, Installed, install, uninstall};
use recorder::kernel_asks;

use crate::arguments::{Install, Uninstall};
use crate::failure::{Exit, Failure};
use crate::terminal::print_lines;

/// Runs `install`.
pub fn run(arguments: &Install) -> Result<(), Failure> {
    let installed = install(&arguments.to, &arguments.group).map_err(failure)?;
    Ok(print_lines(report(&installed, &arguments.group))?)
}

/// Runs `uninstall`.
pub fn run_uninstall(arguments: &Uninstall) -> Result<(), Failure> {
    let purge = arguments.purge.then_some(&arguments.group);
    let removed = uninstall(&arguments.from, purge).map_err(failure)?;
    let program = removed.program.display();
    let first = match removed.was_there {
        true => format!("removed {program}"),
        false => format!("there is no {program}"),
    };
    let second = match removed.group {
        Some(Ok(name)) => format!("removed group {name}"),
        Some(Err(why)) => format!("group {} stays: {why}", arguments.group),
        None => format!("group {} stays (--purge removes it)", arguments.group),
    };
    let mut lines = vec![first, second];
    if std::path::Path::new(permitted_target::POLICY_PATH).exists() {
        lines.push(format!("{} is left alone", permitted_target::POLICY_PATH));
    }
    Ok(print_lines(lines)?)
}

fn report(installed: &Installed, group: &GroupName) -> Vec<String> {
    let program = installed.program.display();
    let done = match installed.replaced {
        true => "replaced",
        false => "installed",
    };
    let made = match installed.group.is_new {
        true => " (made just now)",
        false => "",
    };
    let mut lines = vec![
        format!("{done} {program}, version {}", env!("CARGO_PKG_VERSION")),
        format!("members of group {group}{made} may start it, and profile their own VMs with it"),
        format!("join the group: sudo usermod -aG {group} USER, and log in again"),
        format!(
            "VMs of other users: root allows them in {}",
            permitted_target::POLICY_PATH
        ),
    ];
    if kernel_asks::asks_for_admin() {
        lines.push(format!(
            "this kernel lets only root sample: {}",
            kernel_asks::COMMAND_TO_LOWER_PARANOID
        ));
    }
    lines
}

/// The command line as typed, as far as it is plain.
fn own_command_line() -> String {
    let words: Vec<String> = std::env::args().collect();
    words.join(" ")
}

fn failure(error: InstallError) -> Failure {
    let exit = match error {
        InstallError::NotRoot => Exit::NotPermitted,
        _ => Exit::Other,
    };
    let fix = match error {
        // Such a copy is lent to who runs it by sudo; only root itself is root for it.
        InstallError::NotRoot if permitted_target::is_privileged_copy() => format!(
            "a rule of sudo lends this copy and not root: use the helper that it was installed from, or sudo env -u SUDO_UID -u SUDO_GID -u DOAS_USER {}",
            own_command_line()
        ),
        _ => error.fix(),
    };
    Failure::new(exit, error.to_string(), "", fix)
}
