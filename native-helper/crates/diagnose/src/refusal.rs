//! Why a VM cannot be attached to, in words a person can act on.

use std::sync::LazyLock;
use std::time::Duration;

use attach::AttachError;
use capture::file::{FileError, NotOurs};
use capture::reader::ReadError;
use perf_ring::OpenError;
use permitted_target::{AccessError, OtherOwner, POLICY_PATH, is_privileged_copy, other_owner};
use protocol::error::ErrorData;
use protocol::explanation::Explanation;
use protocol::message::{Text, texts};
use recorder::{RecordError, kernel_asks};
use serde::{Deserialize, Serialize};
use vm_layout::TableError;
use vm_layout::vm_version::Build;
use work_counter::CountError;

use crate::shortage;

/// How to get the rights that attaching and sampling need. The installed copy has them: what refuses it
/// all the same is for `doctor` to find out.
fn rights() -> Text {
    match is_privileged_copy() {
        true => texts::TO_ASK_DOCTOR.text(),
        false => texts::TO_GIVE_RIGHTS.with(&[("command", &install_command())]),
    }
}

/// The same for one process: to an installed copy, those of other users are root's policy to allow.
fn rights_to_read(pid: u32) -> Text {
    match other_owner(pid) {
        Some(OtherOwner { owner, caller }) if !is_privileged_copy() => {
            texts::TO_GIVE_RIGHTS_FOR_OTHERS.with(&[
                ("command", &install_command()),
                ("path", &POLICY_PATH),
                ("caller", &caller),
                ("owner", &owner),
            ])
        }
        _ => rights(),
    }
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
pub(crate) fn shell_word(text: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "/._-+=:@%,".contains(c);
    if !text.is_empty() && text.chars().all(is_plain) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// What to do about an emulator of an unusual build.
pub fn other_build_fix(build: Build) -> Text {
    match build {
        Build::Hipe => texts::TO_START_WITHOUT_HIPE.text(),
        _ => texts::TO_START_USUAL.text(),
    }
}

/// Why an event cannot be opened.
pub fn open_error(error: &OpenError) -> Text {
    match error {
        OpenError::Denied => texts::OPEN_DENIED.text(),
        OpenError::ThreadGone => texts::OPEN_GONE.text(),
        OpenError::Unsupported => texts::OPEN_NO_SUCH_EVENT.text(),
        OpenError::TooManyFiles => texts::OPEN_TOO_MANY_FILES.text(),
        OpenError::Os(error) => texts::OPEN_FAILED.with(&[("detail", error)]),
        other => texts::OPEN_FAILED.with(&[("detail", other)]),
    }
}

/// What kind of refusal; callers turn it into exit and error codes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
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
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refusal {
    /// What kind.
    pub kind: RefusalKind,
    /// In words.
    pub explanation: Box<Explanation>,
}

impl Refusal {
    /// A refusal that says what and what to do.
    pub fn new(kind: RefusalKind, what: Text, fix: Text) -> Self {
        Self {
            kind,
            explanation: Box::new(Explanation::new(what, fix)),
        }
    }

    /// A process that has not let itself be read for that long.
    pub fn no_answer(pid: u32, within: Duration) -> Self {
        let seconds = within.as_secs();
        let what = texts::NO_ANSWER.with(&[("pid", &pid), ("seconds", &seconds)]);
        let fix = texts::TO_MAKE_FILES_ANSWER.with(&[("pid", &pid)]);
        Self::new(RefusalKind::Other, what, fix)
    }

    /// Whether it is [`Refusal::no_answer`].
    #[must_use]
    pub fn is_no_answer(&self) -> bool {
        let what = self.explanation.what_text().message;
        what.is_some_and(|message| message.code == texts::NO_ANSWER.code)
    }

    /// Says why, too.
    #[must_use]
    pub fn because(mut self, why: Text) -> Self {
        *self.explanation = self.explanation.because(why);
        self
    }

    /// Names the shell command that mends it.
    #[must_use]
    pub fn mended_by(mut self, command: &str) -> Self {
        *self.explanation = self.explanation.mended_by(command);
        self
    }

    /// Names the command that installs a copy with rights, unless this is one.
    #[must_use]
    fn mended_by_installing(self) -> Self {
        match is_privileged_copy() {
            true => self,
            false => self.mended_by(install_command()),
        }
    }

    /// The refusal as the protocol has it.
    pub fn data(&self) -> ErrorData {
        ErrorData {
            explanation: Explanation::clone(&self.explanation),
            exit_code: match self.kind {
                RefusalKind::Other => 1,
                RefusalKind::NoTarget => 3,
                RefusalKind::NotPermitted => 4,
                RefusalKind::TargetGone => 5,
            },
        }
    }
}

impl std::fmt::Display for Refusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.explanation.fmt(f)
    }
}

impl From<&AttachError> for Refusal {
    fn from(error: &AttachError) -> Self {
        use RefusalKind::{NoTarget, NotPermitted, Other, TargetGone};
        let list = texts::TO_SEE_VMS.text();
        match error {
            AttachError::NoSuchProcess { pid } => {
                Self::new(NoTarget, texts::NO_PROCESS.with(&[("pid", pid)]), list)
            }
            AttachError::NotABeam { pid } => {
                Self::new(NoTarget, texts::NOT_A_VM.with(&[("pid", pid)]), list)
            }
            AttachError::NotPermitted { pid, detail } => {
                let what = texts::MAY_NOT_BE_READ.with(&[("pid", pid), ("detail", detail)]);
                Self::new(NotPermitted, what, rights_to_read(*pid))
                    .because(texts::WHY_OTHERS_PROCESS.text())
                    .mended_by_installing()
            }
            AttachError::NotYours(error) => of_access(error),
            AttachError::StillStarting { pid, age, reason } => {
                let seconds = format!("{:.1}", age.as_secs_f64());
                let what = texts::STILL_STARTING.with(&[
                    ("pid", pid),
                    ("seconds", &seconds),
                    ("detail", reason),
                ]);
                Self::new(Other, what, texts::TO_TRY_LATER.text())
            }
            AttachError::TargetGone { pid } => Self::new(TargetGone, what_became_of(*pid), list),
            AttachError::Unsupported(error) => {
                let fix = match error {
                    TableError::OtherBuild { build, .. } => other_build_fix(*build),
                    _ => texts::TO_ASK_DOCTOR_FOUND.text(),
                };
                let what = texts::VM_UNREADABLE.with(&[("detail", error)]);
                Self::new(Other, what, fix).because(texts::WHY_NOT_GUESSED.text())
            }
            AttachError::BudgetSpent { pid, spent } => {
                let what = texts::TARGET_TOO_LARGE.with(&[("pid", pid), ("detail", spent)]);
                Self::new(Other, what, texts::TO_LOOK_FIRST.text())
                    .because(texts::WHY_TOO_LARGE.text())
            }
            AttachError::NoAnswer { pid, within } => Self::no_answer(*pid, *within),
            AttachError::Binary(detail) => {
                let what = texts::EMULATOR_UNREADABLE.with(&[("detail", detail)]);
                Self::new(Other, what, texts::TO_ASK_DOCTOR_MISSING.text())
            }
            other => {
                let what = texts::PROC_UNREADABLE.with(&[("detail", other)]);
                let fix = shortage::of_error(other);
                Self::new(
                    Other,
                    what,
                    fix.unwrap_or_else(|| texts::TO_ASK_DOCTOR_MISSING.text()),
                )
            }
        }
    }
}

/// What became of a process that is not there as it was: it has ended, or runs another program.
#[must_use]
pub fn what_became_of(pid: u32) -> Text {
    match target_proc::ProcFs::live().has_ended(pid) {
        true => texts::PROCESS_ENDED.with(&[("pid", &pid)]),
        false => texts::PROCESS_REPLACED.with(&[("pid", &pid)]),
    }
}

/// Why it is not looked at with rights that are ours, and not the caller's.
fn of_access(error: &AccessError) -> Refusal {
    let denied = |what, fix| {
        Refusal::new(RefusalKind::NotPermitted, what, fix).because(texts::WHY_OWN_VMS_ONLY.text())
    };
    match error {
        AccessError::NotYours { pid, owner, caller } => {
            let what = texts::NOT_YOURS.with(&[("pid", pid), ("owner", owner), ("caller", caller)]);
            let path = &POLICY_PATH;
            denied(
                what,
                texts::TO_ALLOW_BY_POLICY.with(&[
                    ("path", path),
                    ("caller", caller),
                    ("owner", owner),
                ]),
            )
        }
        AccessError::Protected { pid, owner } => denied(
            texts::PROTECTED.with(&[("pid", pid), ("owner", owner)]),
            texts::TO_RUN_AS_ROOT.text(),
        ),
        AccessError::Policy { pid, owner, source } => {
            let detail: &dyn std::fmt::Display = source;
            let what =
                texts::POLICY_REFUSED.with(&[("pid", pid), ("owner", owner), ("detail", detail)]);
            let fix = texts::TO_MEND_POLICY.with(&[("command", &source.command())]);
            denied(what, fix)
        }
        other => Refusal::new(
            RefusalKind::NotPermitted,
            texts::NOT_CERTAIN.with(&[("detail", other)]),
            texts::TO_ASK_DOCTOR.text(),
        ),
    }
}

impl From<&RecordError> for Refusal {
    fn from(error: &RecordError) -> Self {
        if let RecordError::Target(error) = error {
            return of_access(error);
        }
        if let RecordError::TargetGone { pid } = error {
            let list = texts::TO_SEE_VMS.text();
            return Self::new(RefusalKind::TargetGone, what_became_of(*pid), list);
        }
        let kind = match error.is_permission() {
            true => RefusalKind::NotPermitted,
            false => RefusalKind::Other,
        };
        let what = match error {
            RecordError::Engine(error) => texts::NO_BPF_ENGINE.with(&[("detail", error)]),
            RecordError::Event(error @ OpenError::Denied) => {
                texts::SAMPLING_DENIED.with(&[("detail", error)])
            }
            RecordError::Event(error) => texts::NO_SAMPLING.with(&[("detail", error)]),
            RecordError::Ring(error) => texts::NO_SAMPLING.with(&[("detail", error)]),
            other => texts::CANNOT_RECORD.with(&[("detail", other)]),
        };
        if let Some(fix) = shortage::of_error(error) {
            return Self::new(RefusalKind::Other, what, fix);
        }
        if let RecordError::Engine(_) = error {
            let fix = match is_privileged_copy() {
                true => texts::TO_ASK_DOCTOR.text(),
                false => texts::TO_USE_READV.with(&[("command", &install_command())]),
            };
            return Self::new(kind, what, fix).mended_by_installing();
        }
        match kind {
            // Asked for only where sampling was refused: it tries that once more.
            RefusalKind::NotPermitted if kernel_asks::asks_for_admin() => {
                let command = kernel_asks::COMMAND_TO_LOWER_PARANOID;
                let fix = texts::TO_LOWER_PARANOID.with(&[("command", &command)]);
                Self::new(kind, what, fix)
                    .because(texts::WHY_ASKS_FOR_ADMIN.text())
                    .mended_by(command)
            }
            RefusalKind::NotPermitted => Self::new(kind, what, rights())
                .because(texts::WHY_PERF_REFUSED.text())
                .mended_by_installing(),
            _ => Self::new(kind, what, texts::TO_ASK_DOCTOR.text()),
        }
    }
}

impl From<&FileError> for Refusal {
    fn from(error: &FileError) -> Self {
        if let FileError::Exists { path } | FileError::Io { path, .. } = error
            && path.is_dir()
        {
            let path = [("path", &path.display() as &dyn std::fmt::Display)];
            let what = texts::FILE_IS_FOLDER.with(&path);
            return Self::new(RefusalKind::Other, what, texts::TO_NAME_FILE.with(&path));
        }
        let fix = match error {
            FileError::Exists { .. } => texts::TO_REPLACE_FILE,
            FileError::NotOurs { .. } => texts::TO_REMOVE_FILE,
            FileError::DiskFull { .. } => texts::TO_FREE_ROOM,
            FileError::Limited { .. } => texts::TO_RAISE_FILE_LIMIT,
            _ => texts::TO_CHOOSE_PLACE,
        };
        let fix = shortage::of_error(error).unwrap_or_else(|| fix.text());
        Self::new(RefusalKind::Other, what_of_file(error), fix)
    }
}

/// What is wrong with a capture file; in words of its own where it is not the system that says so.
fn what_of_file(error: &FileError) -> Text {
    let (template, path) = match error {
        FileError::Exists { path } => (texts::FILE_EXISTS, path),
        FileError::NotOurs { path, reason } => match reason {
            NotOurs::SymbolicLink => (texts::FILE_IS_LINK, path),
            NotOurs::OtherOwner => (texts::FILE_OF_OTHER_USER, path),
            NotOurs::HardLinked => (texts::FILE_HAS_OTHER_NAME, path),
            NotOurs::OtherKind => (texts::FILE_OF_OTHER_KIND, path),
            NotOurs::Replaced => (texts::FILE_REPLACED, path),
            _ => return texts::FILE_FAILED.with(&[("detail", error)]),
        },
        FileError::Limited { path, kept_bytes } => {
            return texts::FILE_LIMIT_MET.with(&[("path", &path.display()), ("bytes", kept_bytes)]);
        }
        FileError::DiskFull { path, kept_bytes } => {
            return texts::NO_SPACE_LEFT.with(&[("path", &path.display()), ("bytes", kept_bytes)]);
        }
        _ => return texts::FILE_FAILED.with(&[("detail", error)]),
    };
    template.with(&[("path", &path.display())])
}

impl From<&ReadError> for Refusal {
    fn from(error: &ReadError) -> Self {
        let what = texts::NOT_A_CAPTURE.with(&[("detail", error)]);
        Self::new(RefusalKind::Other, what, texts::TO_GIVE_CAPTURE.text())
    }
}

impl From<&CountError> for Refusal {
    fn from(error: &CountError) -> Self {
        let fix = match error.is_of_command() {
            true => texts::TO_MEND_WORK_COMMAND,
            false => texts::TO_MEND_WORK_METRIC,
        };
        let what = texts::WORK_NOT_COUNTED.with(&[("detail", error)]);
        Self::new(RefusalKind::Other, what, fix.text()).because(texts::WHY_COUNT_FIRST.text())
    }
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

    #[test]
    fn a_refusal_ends_with_what_to_do() {
        let refusal = Refusal::from(&AttachError::NoSuchProcess { pid: 7 });
        assert_eq!(
            refusal.to_string(),
            "there is no process 7; see `extrospect list` for the VMs here"
        );
        let denied = AttachError::NotPermitted {
            pid: 7,
            detail: "its memory".into(),
        };
        let refusal = Refusal::from(&denied);
        assert_eq!(refusal.kind, RefusalKind::NotPermitted);
        assert!(refusal.explanation.fix.contains(install_command()));
    }

    #[test]
    fn of_another_user_the_policy_is_named_as_well() {
        use std::os::unix::process::CommandExt;
        let refusal = |pid| {
            let detail = "its memory".into();
            Refusal::from(&AttachError::NotPermitted { pid, detail }).to_string()
        };
        let own = refusal(std::process::id());
        assert!(
            own.contains(" install") && !own.contains(POLICY_PATH),
            "{own}"
        );
        let other = std::process::Command::new("sleep")
            .arg("60")
            .uid(65534)
            .spawn();
        // It takes root to start one.
        let Ok(mut other) = other else { return };
        let said = refusal(other.id());
        other.kill().unwrap();
        other.wait().unwrap();
        assert!(
            said.contains(" install") && said.contains(POLICY_PATH),
            "{said}"
        );
        assert!(said.contains("= [\"nobody\"]"), "{said}");
    }

    #[test]
    fn a_folder_is_no_file_to_write_to() {
        let path = std::env::temp_dir();
        let errors = [
            FileError::Exists { path: path.clone() },
            FileError::Io {
                action: "create",
                path: path.clone(),
                source: std::io::ErrorKind::IsADirectory.into(),
            },
        ];
        for error in errors {
            let said = Refusal::from(&error).to_string();
            assert!(
                said.contains("is a folder; name a file in it: -o "),
                "{said}"
            );
        }
    }

    #[test]
    fn a_vm_that_is_gone_has_ended_or_runs_another_program() {
        let told = |pid| {
            let told = Refusal::from(&AttachError::TargetGone { pid });
            assert_eq!(told.kind, RefusalKind::TargetGone);
            assert_eq!(told, Refusal::from(&RecordError::TargetGone { pid }));
            told.to_string()
        };
        let own = std::process::id();
        assert!(told(own).starts_with(&format!("process {own} runs another program now;")));
        let mut ended = std::process::Command::new("true").spawn().unwrap();
        let pid = ended.id();
        ended.wait().unwrap();
        assert!(told(pid).starts_with(&format!("process {pid} has ended;")));
    }

    #[test]
    fn what_is_wrong_with_a_file_is_a_text_of_its_own() {
        let path = || std::path::PathBuf::from("/tmp/a.pb.gz");
        let link = FileError::NotOurs {
            path: path(),
            reason: NotOurs::SymbolicLink,
        };
        let refusal = Refusal::from(&link).explanation;
        assert_eq!(
            refusal.what,
            "the capture file cannot be written: /tmp/a.pb.gz is a symbolic link, which is not followed"
        );
        let messages = &refusal.actionable.messages;
        assert_eq!(messages["what"].code, "fileIsLink");
        assert_eq!(messages["what"].arguments["path"], "/tmp/a.pb.gz");
        let full = FileError::DiskFull {
            path: path(),
            kept_bytes: 7,
        };
        let refusal = Refusal::from(&full).explanation;
        assert_eq!(refusal.actionable.messages["what"].arguments["bytes"], "7");
        assert!(refusal.fix.ends_with("-o"), "{}", refusal.fix);
        assert_eq!(
            texts::TO_FREE_ROOM.in_editor.find("-o"),
            None,
            "an editor's user has no such option"
        );
    }
}
