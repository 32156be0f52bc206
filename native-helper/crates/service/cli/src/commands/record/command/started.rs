//! The command, as a child process.

use std::ffi::OsString;
use std::io;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, ExitStatus, Stdio};

use permitted_target::has_no_rights_to_pass_on;
use rustix::process::{Pid, WaitId, WaitIdOptions, set_child_subreaper, waitid};
use target_proc::{ProcFs, caller};
use unprivileged_child::{ChildUser, without_our_rights};

use super::signalled;
use crate::failure::{Exit, Failure};

/// The exit code that a shell reports for a program that a signal has ended, without the signal.
const ENDED_BY_SIGNAL: i32 = 128;
const TICKS_A_SECOND: f64 = 100.0;

/// A command that was started.
#[derive(Debug)]
pub(super) struct Started {
    child: Child,
    /// Processor time of orphans that have ended; `None` when that of one of them could not be read.
    orphan_ticks: Option<u64>,
}

/// How a command has ended.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ended {
    /// The exit code that a shell reports for it.
    pub exit_code: u8,
    /// Processor time of it and of its children; `None` when it could not be read.
    pub cpu_ticks: Option<u64>,
}

impl Started {
    /// Starts it as the caller, in the same process group: Ctrl-C reaches it. Programs that it
    /// leaves behind become children of this process. Its output goes to standard error where this
    /// program's own output is for a program to read.
    pub fn start(words: &[OsString], output_is_ours: bool) -> Result<Self, Failure> {
        let Some((program, arguments)) = words.split_first() else {
            return Err(Failure::new(Exit::Usage, "there is no command", "", ""));
        };
        // Without it, VMs of a command that forks twice are not found.
        set_child_subreaper(Some(rustix::process::getpid())).map_err(io::Error::from)?;
        let mut command = Command::new(program);
        command.args(arguments);
        if output_is_ours {
            command.stdout(Stdio::from(io::stderr()));
        }
        let child = spawn_as_caller(&mut command);
        child
            .map(|child| Self {
                child,
                orphan_ticks: Some(0),
            })
            .map_err(|error| {
                let (exit, fix) = match error.kind() {
                    io::ErrorKind::NotFound => (Exit::NoCommand, "check its name and your PATH"),
                    _ => (Exit::NotStarted, "check that the file may be executed"),
                };
                let what = format!("cannot start {}", program.display());
                Failure::new(exit, what, error.to_string(), fix)
            })
    }

    /// Its process id.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Sends it a signal that was meant for it.
    pub fn pass_on(&self, signal: i32) {
        signalled::send(self.pid(), signal);
    }

    /// Waits for those of `orphans` that have ended, and adds their processor time to that of the command, which left
    /// them behind: a process that was not waited for still looks alive to `kill -0`.
    pub fn reap(&mut self, orphans: &[u32]) {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG;
        for &orphan in orphans {
            let Some(pid) = Pid::from_raw(orphan.cast_signed()) else {
                continue;
            };
            // Fails when it is no child of this process.
            let has_ended = waitid(WaitId::Pid(pid), options | WaitIdOptions::NOWAIT);
            if !matches!(has_ended, Ok(Some(_))) {
                continue;
            }
            // As long as it was not waited for, the kernel keeps its figures.
            let ticks = ProcFs::live().cpu_ticks_with_children(orphan);
            self.orphan_ticks = self.orphan_ticks.zip(ticks).map(|(all, it)| all + it);
            let _ = waitid(WaitId::Pid(pid), options);
        }
    }

    /// Processor time of it and of the orphans that have ended, seconds; `None` when a part of it could not be read.
    pub fn cpu_s(&self, ended: Ended) -> Option<f64> {
        let ticks = ended.cpu_ticks? + self.orphan_ticks?;
        Some(ticks as f64 / TICKS_A_SECOND)
    }

    /// How it has ended, if it has.
    pub fn ended(&mut self) -> Result<Option<Ended>, Failure> {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        let pid = Pid::from_raw(self.pid().cast_signed());
        let Some(pid) = pid else { return Ok(None) };
        if waitid(WaitId::Pid(pid), options)
            .map_err(io::Error::from)?
            .is_none()
        {
            return Ok(None);
        }
        // As long as it was not waited for, the kernel keeps its figures.
        let cpu_ticks = ProcFs::live().cpu_ticks_with_children(self.pid());
        let status = self.child.wait()?;
        Ok(Some(Ended {
            exit_code: exit_code(status),
            cpu_ticks,
        }))
    }
}

/// Starts a command with the caller's environment and without rights that the caller does not have.
fn spawn_as_caller(command: &mut Command) -> io::Result<Child> {
    if caller::has_more_rights_than_caller() {
        command.env_clear().envs(caller::environment());
        // A rule of sudo or doas leaves what root has.
        if caller::is_lent() {
            belongs_to(command, rustix::process::getuid().as_raw());
        }
        // `no_new_privs` would take from the command what the caller's shell gives it: sudo, ping.
        if has_no_rights_to_pass_on() {
            return command.spawn();
        }
        return without_our_rights(|| command.spawn())?;
    }
    if let Some(user) = ChildUser::by_sudo() {
        belongs_to(command, user.uid);
        return user.spawn(command, &user.groups());
    }
    command.spawn()
}

/// Sets the variables that name the user of the command.
fn belongs_to(command: &mut Command, uid: u32) {
    if let Some(home) = caller::home_of_user(uid) {
        command.env("HOME", home);
    }
    if let Some(name) = caller::name_of_user(uid) {
        command.env("USER", &name).env("LOGNAME", name);
    }
}

fn exit_code(status: ExitStatus) -> u8 {
    let of_signal = || status.signal().map(|signal| ENDED_BY_SIGNAL + signal);
    let code = status.code().or_else(of_signal);
    code.and_then(|code| u8::try_from(code).ok()).unwrap_or(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exit_codes_are_those_of_a_shell() {
        assert_eq!(exit_code(ExitStatus::from_raw(0)), 0);
        assert_eq!(exit_code(ExitStatus::from_raw(7 << 8)), 7);
        assert_eq!(exit_code(ExitStatus::from_raw(15)), 143);
    }
}
