//! Why a VM cannot be attached to, in words a person can act on.

use std::path::Path;
use std::time::Duration;

use attach::AttachError;
use capture::file::{FileError, NotOurs};
use capture::reader::ReadError;
use perf_ring::OpenError;
use permitted_target::{AccessError, OtherOwner, POLICY_PATH, other_owner};
use protocol::error::ErrorData;
use protocol::explanation::Explanation;
use protocol::message::{Text, texts};
use recorder::{RecordError, kernel_asks};
use serde::{Deserialize, Serialize};
use vm_layout::TableError;
use vm_layout::vm_version::Build;
use work_counter::CountError;

use crate::rights::{Remedy, install_command, remedy_now};
use crate::shortage;

/// The way to the rights, in words and as a command where there is one. The installed copy has them: `doctor`
/// finds out why it is refused all the same.
fn rights(remedy: Remedy) -> (Text, Option<String>) {
    match remedy {
        Remedy::Install => {
            let command = install_command();
            let text = texts::TO_GIVE_RIGHTS.with(&[("command", &command)]);
            (text, Some(command.to_owned()))
        }
        Remedy::JoinGroup(command) => {
            let text = texts::TO_JOIN_GROUP.with(&[("command", &command)]);
            (text, Some(command))
        }
        Remedy::LowerParanoid(command) => {
            let text = texts::TO_LOWER_PARANOID.with(&[("command", &command)]);
            (text, Some(command.to_owned()))
        }
        Remedy::Policy => (texts::TO_ASK_DOCTOR.text(), None),
        Remedy::Advice(text) => (text, None),
    }
}

/// The same for one process: to an installed copy, those of other users are root's policy to allow.
fn rights_to_read(pid: u32, remedy: Remedy) -> (Text, Option<String>) {
    match (remedy, other_owner(pid)) {
        (Remedy::Install, Some(OtherOwner { owner, caller })) => {
            let command = install_command();
            let text = texts::TO_GIVE_RIGHTS_FOR_OTHERS.with(&[
                ("command", &command),
                ("path", &POLICY_PATH),
                ("caller", &caller),
                ("owner", &owner),
            ]);
            (text, Some(command.to_owned()))
        }
        (remedy, _) => rights(remedy),
    }
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
    /// The target has exited.
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
    /// A refusal that states the obstacle and the remedy.
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

    /// A process that was not read in that time by one that still is at work.
    pub fn still_reading(pid: u32, within: Duration) -> Self {
        let seconds = within.as_secs();
        let what = texts::STILL_READING.with(&[("pid", &pid), ("seconds", &seconds)]);
        Self::new(RefusalKind::Other, what, texts::TO_FREE_PROCESSORS.text())
    }

    /// Whether it is [`Refusal::no_answer`] or [`Refusal::still_reading`].
    #[must_use]
    pub fn is_out_of_time(&self) -> bool {
        let what = self.explanation.what_text().message;
        what.is_some_and(|message| {
            [texts::NO_ANSWER.code, texts::STILL_READING.code].contains(&&*message.code)
        })
    }

    /// Adds the reason.
    #[must_use]
    pub fn because(mut self, why: Text) -> Self {
        *self.explanation = self.explanation.because(why);
        self
    }

    /// Names the shell command that fixes it.
    #[must_use]
    pub fn mended_by(mut self, command: &str) -> Self {
        *self.explanation = self.explanation.mended_by(command);
        self
    }

    /// A refusal for lack of rights, with the way to get them.
    fn not_permitted(what: Text, (fix, command): (Text, Option<String>)) -> Self {
        let refusal = Self::new(RefusalKind::NotPermitted, what, fix);
        match command {
            Some(command) => refusal.mended_by(&command),
            None => refusal,
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
        use RefusalKind::{NoTarget, Other, TargetGone};
        let list = texts::TO_SEE_VMS.text();
        match error {
            AttachError::NoSuchProcess { pid } => {
                match target_proc::ProcFs::live().process_of_thread(*pid) {
                    Some(process) => is_thread(*pid, process),
                    None => no_process(*pid, |name| Path::new("/proc").join(name).exists()),
                }
            }
            AttachError::NotABeam { pid } => {
                Self::new(NoTarget, texts::NOT_A_VM.with(&[("pid", pid)]), list)
            }
            AttachError::NotPermitted { pid, detail } => {
                let what = texts::MAY_NOT_BE_READ.with(&[("pid", pid), ("detail", detail)]);
                Self::not_permitted(what, rights_to_read(*pid, remedy_now(false)))
                    .because(texts::WHY_OTHERS_PROCESS.text())
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

/// A thread that was taken for a process: tools such as `top -H` show its number in the place of a process's.
fn is_thread(tid: u32, pid: u32) -> Refusal {
    Refusal::new(
        RefusalKind::NoTarget,
        texts::IS_THREAD.with(&[("tid", &tid), ("pid", &pid)]),
        texts::TO_NAME_PROCESS.with(&[("pid", &pid)]),
    )
}

/// A process that is not in `/proc`: there is none, or it is not shown. `has` reports whether an entry is there.
fn no_process(pid: u32, has: impl Fn(&str) -> bool) -> Refusal {
    let (what, fix) = match (has("self"), has("1")) {
        (false, _) => (texts::NO_PROC.text(), texts::TO_MOUNT_PROC.text()),
        // The first process is always there.
        (true, false) => (
            texts::PROCESS_NOT_SHOWN.with(&[("pid", &pid)]),
            texts::TO_SHOW_PROCESSES.text(),
        ),
        (true, true) => (
            texts::NO_PROCESS.with(&[("pid", &pid)]),
            texts::TO_SEE_VMS.text(),
        ),
    };
    Refusal::new(RefusalKind::NoTarget, what, fix)
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
            return without_bpf(kind, what);
        }
        if kind != RefusalKind::NotPermitted {
            return Self::new(kind, what, texts::TO_ASK_DOCTOR.text());
        }
        // Sampling was refused: one more attempt shows whether the kernel requires more.
        let asks_for_admin = kernel_asks::asks_for_admin();
        let why = match asks_for_admin {
            true => texts::WHY_ASKS_FOR_ADMIN,
            false => texts::WHY_PERF_REFUSED,
        };
        Self::not_permitted(what, rights(remedy_now(asks_for_admin))).because(why.text())
    }
}

/// The kernel does not take the program of the engine: the other one needs less.
fn without_bpf(kind: RefusalKind, what: Text) -> Refusal {
    if remedy_now(false) != Remedy::Install {
        return Refusal::new(kind, what, texts::TO_USE_OTHER_ENGINE.text());
    }
    let command = install_command();
    let fix = texts::TO_USE_READV.with(&[("command", &command)]);
    Refusal::new(kind, what, fix).mended_by(command)
}

impl From<&FileError> for Refusal {
    fn from(error: &FileError) -> Self {
        // To replace it is refused, too.
        if let FileError::Exists { path } = error
            && path.is_symlink()
        {
            let (path, reason) = (path.clone(), NotOurs::SymbolicLink);
            return Self::from(&FileError::NotOurs { path, reason });
        }
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

/// The problem with a capture file; in words of its own where it is not an error of the system.
fn what_of_file(error: &FileError) -> Text {
    let (template, path) = match error {
        FileError::Exists { path } => (texts::FILE_EXISTS, path),
        FileError::NotOurs { path, reason } => match reason {
            NotOurs::SymbolicLink => (texts::FILE_IS_LINK, path),
            NotOurs::OtherOwner => (texts::FILE_OF_OTHER_USER, path),
            NotOurs::HardLinked => (texts::FILE_HAS_OTHER_NAME, path),
            NotOurs::OtherKind => (texts::FILE_OF_OTHER_KIND, path),
            NotOurs::Unread => (texts::FILE_IS_UNREAD_PIPE, path),
            NotOurs::Replaced => (texts::FILE_REPLACED, path),
            _ => return texts::FILE_FAILED.with(&[("detail", error)]),
        },
        FileError::Limited {
            path,
            kept_bytes: 0,
        } => (texts::FILE_LIMIT_MET_AT_ONCE, path),
        FileError::DiskFull {
            path,
            kept_bytes: 0,
        } => (texts::NO_SPACE_AT_ALL, path),
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
    fn a_refusal_ends_with_what_to_do() {
        let refusal = Refusal::from(&AttachError::NoSuchProcess { pid: 7 });
        assert_eq!(
            refusal.to_string(),
            "there is no process 7; `extrospect list` lists the VMs here"
        );
        let denied = AttachError::NotPermitted {
            pid: 7,
            detail: "its memory".into(),
        };
        let refusal = Refusal::from(&denied);
        assert_eq!(refusal.kind, RefusalKind::NotPermitted);
        let (fix, command) = rights_to_read(7, Remedy::Install);
        assert!(fix.english.contains(install_command()));
        assert_eq!(command.as_deref(), Some(install_command()));
    }

    #[test]
    fn a_process_that_proc_hides_is_not_reported_as_absent() {
        let of = |there: &[&str]| no_process(7, |name| there.contains(&name)).to_string();
        assert!(of(&[]).contains("mount -t proc proc /proc"));
        assert!(of(&["self"]).contains("hidepid"));
        assert!(of(&["self", "1"]).starts_with("there is no process 7;"));
    }

    #[test]
    fn of_another_user_the_policy_is_named_as_well() {
        use std::os::unix::process::CommandExt;
        let refusal = |pid| rights_to_read(pid, Remedy::Install).0.english;
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
        let text = refusal(other.id());
        other.kill().unwrap();
        other.wait().unwrap();
        assert!(
            text.contains(" install") && text.contains(POLICY_PATH),
            "{text}"
        );
        assert!(text.contains("= [\"nobody\"]"), "{text}");
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
            let text = Refusal::from(&error).to_string();
            assert!(
                text.contains("is a folder; name a file in it: -o "),
                "{text}"
            );
        }
    }

    #[test]
    fn a_vm_that_is_gone_has_ended_or_runs_another_program() {
        let text_of = |pid| {
            let refusal = Refusal::from(&AttachError::TargetGone { pid });
            assert_eq!(refusal.kind, RefusalKind::TargetGone);
            assert_eq!(refusal, Refusal::from(&RecordError::TargetGone { pid }));
            refusal.to_string()
        };
        let own = std::process::id();
        assert!(text_of(own).starts_with(&format!("process {own} runs another program now;")));
        let mut ended = std::process::Command::new("true").spawn().unwrap();
        let pid = ended.id();
        ended.wait().unwrap();
        assert!(text_of(pid).starts_with(&format!("process {pid} has ended;")));
    }

    #[test]
    fn where_rights_are_missing_for_time_without_a_processor_the_refusal_is_of_rights() {
        let refusal = |is_permission| {
            let why = "the kernel may not be sampled here".to_owned();
            let of = "off-cpu";
            Refusal::from(&RecordError::NotRecordable {
                of,
                why,
                is_permission,
            })
        };
        assert_eq!(refusal(true).kind, RefusalKind::NotPermitted);
        assert_eq!(refusal(false).kind, RefusalKind::Other);
        let what = "off-cpu cannot be recorded: the kernel may not be sampled here";
        for refusal in [true, false].map(refusal) {
            assert!(refusal.to_string().contains(what), "{refusal}");
        }
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
