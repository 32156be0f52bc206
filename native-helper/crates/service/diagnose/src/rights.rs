//! The remedy for missing rights: the smallest sufficient one, or, where none would help, the obstacle.

pub mod capability_numbers;
pub mod kernel;

use std::path::Path;
use std::sync::LazyLock;

use permitted_target::is_privileged_copy;
use privileged_copy::{CopyStatus, DEFAULT_FOLDER, DEFAULT_GROUP, Likeness, PROGRAM_NAME};
use protocol::message::{Text, texts};
use recorder::kernel_asks::COMMAND_TO_LOWER_PARANOID;

use capability_numbers::{PERFMON, SYS_ADMIN, SYS_PTRACE};
use kernel::{KernelFacts, UserNamespace};

/// The remedy that gives this process its rights.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Remedy {
    /// Installing the copy that has them, which upgrades one of another version.
    Install,
    /// Becoming a member of the group that may start the copy that is installed; the command.
    JoinGroup(String),
    /// Lowering `kernel.perf_event_paranoid`; the command.
    LowerParanoid(&'static str),
    /// None more: this copy has its rights, and for VMs of other users root's policy counts.
    Policy,
    /// Other advice: no command helps.
    Advice(Text),
}

/// Our identity, as far as it decides on the remedy.
#[derive(Debug)]
pub struct Standing<'a> {
    /// The scope of capabilities, and those that this process can get.
    pub kernel: &'a KernelFacts,
    /// No program's file gives this process any rights.
    pub is_sandboxed: bool,
    /// The kernel requires CAP_SYS_ADMIN, which we lack.
    pub lacks_admin: bool,
    /// This program is a copy with rights of its own, wherever it is.
    pub is_privileged_copy: bool,
    /// This program is the copy that root has installed.
    pub is_installed_copy: bool,
    /// That copy.
    pub installed_copy: &'a CopyStatus,
}

impl Standing<'_> {
    /// The smallest sufficient remedy; where none would help, the obstacle.
    pub fn remedy(&self) -> Remedy {
        let kernel = self.kernel;
        if kernel.user_namespace == UserNamespace::Another {
            return Remedy::Advice(texts::TO_LEAVE_NAMESPACE.text());
        }
        // What a container was not given no program in it gets.
        let lacks = |of: u64| kernel.bounding_capabilities & of == 0;
        if lacks(1 << PERFMON | 1 << SYS_ADMIN) || lacks(1 << SYS_PTRACE) {
            return Remedy::Advice(texts::TO_ALLOW_CONTAINER.text());
        }
        if self.is_sandboxed {
            return Remedy::Advice(texts::TO_LEAVE_SANDBOX.text());
        }
        if self.lacks_admin {
            return Remedy::LowerParanoid(COMMAND_TO_LOWER_PARANOID);
        }
        if self.is_privileged_copy {
            return Remedy::Policy;
        }
        let copy = format!("{DEFAULT_FOLDER}/{PROGRAM_NAME}");
        match self.installed_copy {
            CopyStatus::NotForYou => {
                Remedy::JoinGroup(format!("sudo usermod -aG {DEFAULT_GROUP} \"$USER\""))
            }
            CopyStatus::There(Likeness::Same) if !self.is_installed_copy => {
                Remedy::Advice(texts::TO_START_COPY.with(&[("path", &copy)]))
            }
            _ => Remedy::Install,
        }
    }
}

/// What to do so that this process may read a VM, or sample it. `lacks_admin`: the kernel requires CAP_SYS_ADMIN for
/// that, which we lack.
pub fn remedy_now(lacks_admin: bool) -> Remedy {
    Standing {
        kernel: &KernelFacts::read(Path::new("/")),
        // The kernel's answer of now may be our own doing.
        is_sandboxed: lockdown::was_started_without_new_privileges(),
        lacks_admin,
        is_privileged_copy: is_privileged_copy(),
        is_installed_copy: is_installed_copy(),
        installed_copy: &privileged_copy::status_without_version(Path::new(DEFAULT_FOLDER)),
    }
    .remedy()
}

/// Whether this very process runs the copy that root has installed.
pub fn is_installed_copy() -> bool {
    std::env::current_exe()
        .is_ok_and(|program| program == Path::new(DEFAULT_FOLDER).join(PROGRAM_NAME))
}

/// The command that makes a copy with those rights, for a group of people. It names this very program: an
/// editor starts one that no shell would find.
pub fn install_command() -> &'static str {
    static COMMAND: LazyLock<String> = LazyLock::new(|| format!("sudo {} install", own_program()));
    &COMMAND
}

/// This very program, as one word of a shell command.
fn own_program() -> String {
    let program = std::env::current_exe().unwrap_or_else(|_| "extrospect".into());
    shell_word(&program.to_string_lossy())
}

/// The text as one word of a shell command.
pub fn shell_word(text: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "/._-+=:@%,".contains(c);
    if !text.is_empty() && text.chars().all(is_plain) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_names_this_program_as_one_word() {
        let program = std::env::current_exe().unwrap();
        let word = shell_word(&program.to_string_lossy());
        assert_eq!(install_command(), format!("sudo {word} install"));
        assert_eq!(shell_word("/opt/x-1.0/extrospect"), "/opt/x-1.0/extrospect");
        assert_eq!(shell_word("/home/a b/it's; rm"), r"'/home/a b/it'\''s; rm'");
    }
}
