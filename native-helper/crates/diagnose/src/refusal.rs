//! Why a VM cannot be attached to, in words a person can act on.

use std::sync::LazyLock;

use attach::AttachError;
use capture::file::FileError;
use capture::reader::ReadError;
use recorder::RecordError;
use vm_layout::TableError;
use vm_layout::vm_version::Build;

/// How to get the rights that attaching and sampling need.
pub fn rights() -> String {
    format!(
        "run it as root (sudo extrospect ...), or once: {}",
        setcap()
    )
}

/// The command that gives us those rights for good. It names this very program: an editor starts
/// one that no shell would find.
pub fn setcap() -> &'static str {
    static COMMAND: LazyLock<String> = LazyLock::new(|| {
        let program = std::env::current_exe().unwrap_or_else(|_| "extrospect".into());
        let program = shell_word(&program.to_string_lossy());
        format!(
            "sudo setcap cap_perfmon,cap_bpf,cap_sys_ptrace,cap_sys_nice,cap_ipc_lock+ep {program}"
        )
    });
    &COMMAND
}

/// The text as one word of a shell command.
fn shell_word(text: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "/._-+=:@%,".contains(c);
    if !text.is_empty() && text.chars().all(is_plain) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// What happened, why and what to do, each only where there is something to say.
pub fn one_line(parts: [&str; 3]) -> String {
    let parts = parts.into_iter().filter(|part| !part.is_empty());
    parts.collect::<Vec<_>>().join("; ").replace('\n', " ")
}

/// What to do about an emulator of an unusual build.
pub fn other_build_fix(build: Build) -> &'static str {
    match build {
        Build::Hipe => "run it on an emulator without HiPE to profile it (Debian: erlang-base)",
        _ => "start it without -emu_type to profile it",
    }
}

/// What kind of refusal; callers turn it into exit and error codes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RefusalKind {
    /// There is no such process, or it is no Erlang VM.
    NoTarget,
    /// Not permitted.
    NotPermitted,
    /// The target went away.
    TargetGone,
    /// Anything else.
    Other,
}

/// Why something cannot be done, and what to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// What kind.
    pub kind: RefusalKind,
    /// What did not work.
    pub what: String,
    /// Why, when that says more.
    pub why: String,
    /// What to do.
    pub fix: String,
}

impl Refusal {
    /// A refusal in three parts.
    pub fn new(
        kind: RefusalKind,
        what: impl Into<String>,
        why: impl Into<String>,
        fix: impl Into<String>,
    ) -> Self {
        Self {
            kind,
            what: what.into(),
            why: why.into(),
            fix: fix.into(),
        }
    }
}

impl std::fmt::Display for Refusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&one_line([&self.what, &self.why, &self.fix]))
    }
}

impl From<&AttachError> for Refusal {
    fn from(error: &AttachError) -> Self {
        let what = error.to_string();
        let list = "see `extrospect list` for the VMs here";
        match error {
            AttachError::NoSuchProcess { .. } | AttachError::NotABeam { .. } => {
                Self::new(RefusalKind::NoTarget, what, "", list)
            }
            AttachError::NotPermitted { .. } => Self::new(
                RefusalKind::NotPermitted,
                what,
                "it belongs to another user, or ptrace access is restricted",
                rights(),
            ),
            AttachError::StillStarting { .. } => {
                Self::new(RefusalKind::Other, what, "", "try again in a moment")
            }
            AttachError::TargetGone { .. } => Self::new(RefusalKind::TargetGone, what, "", list),
            AttachError::Unsupported(TableError::OtherBuild { build, .. }) => Self::new(
                RefusalKind::Other,
                what,
                "rather than guess where its fields are, nothing was read",
                other_build_fix(*build),
            ),
            AttachError::BudgetSpent { .. } => Self::new(
                RefusalKind::Other,
                what,
                "no Erlang VM has so much; it may be another program that is called like one",
                "look at what it runs before anything else",
            ),
            AttachError::Unsupported(_) => Self::new(
                RefusalKind::Other,
                what,
                "rather than guess where its fields are, nothing was read",
                "`extrospect doctor PID` says what was found",
            ),
            _ => Self::new(
                RefusalKind::Other,
                what,
                "",
                "`extrospect doctor PID` says what is missing",
            ),
        }
    }
}

impl From<&RecordError> for Refusal {
    fn from(error: &RecordError) -> Self {
        let what = error.to_string();
        if let RecordError::Engine(_) = error {
            let kind = match error.is_permission() {
                true => RefusalKind::NotPermitted,
                false => RefusalKind::Other,
            };
            let fix = format!(
                "use the other engine (--engine readv), or give the right: {}",
                rights()
            );
            return Self::new(kind, what, "", fix);
        }
        if error.is_permission() {
            let why = "kernel.perf_event_paranoid, a missing capability or a seccomp filter";
            return Self::new(RefusalKind::NotPermitted, what, why, rights());
        }
        Self::new(
            RefusalKind::Other,
            what,
            "",
            "`extrospect doctor` says what sampling needs",
        )
    }
}

impl From<&FileError> for Refusal {
    fn from(error: &FileError) -> Self {
        let fix = match error {
            FileError::Exists { .. } => "use --force to replace it",
            FileError::NotOurs { .. } => "remove it, or choose another place with -o",
            FileError::DiskFull { .. } => "free some room, or choose another place with -o",
            _ => "choose another place with -o",
        };
        Self::new(RefusalKind::Other, error.to_string(), "", fix)
    }
}

impl From<&ReadError> for Refusal {
    fn from(error: &ReadError) -> Self {
        let fix = "give a capture (*.pb.gz) or another pprof profile";
        Self::new(RefusalKind::Other, error.to_string(), "", fix)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_names_this_program_as_one_word() {
        let program = std::env::current_exe().unwrap();
        assert!(setcap().ends_with(&shell_word(&program.to_string_lossy())));
        assert_eq!(shell_word("/opt/x-1.0/extrospect"), "/opt/x-1.0/extrospect");
        assert_eq!(shell_word("/home/a b/it's; rm"), r"'/home/a b/it'\''s; rm'");
    }

    #[test]
    fn a_refusal_is_one_line_that_ends_with_what_to_do() {
        let refusal = Refusal::from(&AttachError::NoSuchProcess { pid: 7 });
        assert_eq!(
            refusal.to_string(),
            "there is no process 7; see `extrospect list` for the VMs here"
        );
        let denied = AttachError::NotPermitted {
            pid: 7,
            detail: "its\nmemory".into(),
        };
        let refusal = Refusal::from(&denied);
        assert_eq!(refusal.kind, RefusalKind::NotPermitted);
        assert!(refusal.to_string().contains("its memory") && refusal.fix.contains("setcap"));
    }
}
