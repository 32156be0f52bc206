//! The texts of the helper for users: each has a constant code, arguments by name, and English.
//!
//! The English text is for terminals and for editors that do not know the code. An editor that does
//! makes the text itself, in the user's language, from code and arguments. Where the English names
//! commands or options of the command line, the text of the editor names their counterparts in the
//! editor.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use shared_sort::Inserted;

/// A text for people as code and arguments.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
pub struct Message {
    /// Which text: a name of `HelperMessages`.
    pub code: String,
    /// The values of its placeholders, by name. Numbers as text; some are English (messages of a
    /// system call or a parser), and names of a target may be among them.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[cfg_attr(
        feature = "ts-rs",
        ts(as = "Option<BTreeMap<String, String>>", optional)
    )]
    pub arguments: BTreeMap<String, String>,
}

/// Codes and arguments of the English texts beside them, by the name of the member they are for:
/// `what`, `why`, `fix`, `check`, `found`, `needed`, `reason`. A member without words has none.
pub type Messages = BTreeMap<String, Message>;

/// The text of one code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Template {
    /// The code.
    pub code: &'static str,
    /// English for a terminal, with arguments by name in braces.
    pub english: &'static str,
    /// English for users of an editor, who have no command line before them; it has the same arguments.
    pub in_editor: &'static str,
}

/// An English text, and the message it was made from when it has words.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Text {
    /// English.
    pub english: String,
    /// Code and arguments; `None` for what reads the same in every language.
    pub message: Option<Message>,
}

impl Text {
    /// A text without words: a number, a name.
    pub fn plain(text: impl Into<String>) -> Self {
        Self {
            english: text.into(),
            message: None,
        }
    }

    /// Adds code and arguments under the name of the member that the English text goes to.
    pub fn with_message(self, member: &str, messages: &mut Messages) -> String {
        if let Some(message) = self.message {
            messages.insert(member.to_owned(), message);
        }
        self.english
    }
}

impl Template {
    /// The text with these arguments, each of which the template names.
    pub fn with(&self, arguments: &[(&str, &dyn std::fmt::Display)]) -> Text {
        let arguments: BTreeMap<String, String> = arguments
            .iter()
            .map(|(name, value)| ((*name).to_owned(), value.to_string()))
            .inserted();
        Text {
            english: self.fill(&arguments),
            message: Some(Message {
                code: self.code.to_owned(),
                arguments,
            }),
        }
    }

    /// The text of a template without arguments.
    pub fn text(&self) -> Text {
        self.with(&[])
    }

    fn fill(&self, arguments: &BTreeMap<String, String>) -> String {
        filled(self.english, arguments)
    }
}

impl Message {
    /// Its English for users of an editor; `None` for a code that is not known.
    pub fn in_editor(&self) -> Option<String> {
        let template = TEXTS.iter().find(|template| template.code == self.code)?;
        Some(filled(template.in_editor, &self.arguments))
    }
}

/// Arguments are put in once: braces in them mean nothing.
fn filled(template: &str, arguments: &BTreeMap<String, String>) -> String {
    let mut filled = String::new();
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('{') {
        filled.push_str(before);
        let Some((name, behind)) = after.split_once('}') else {
            return filled + "{" + after;
        };
        filled.push_str(arguments.get(name).map_or("?", String::as_str));
        rest = behind;
    }
    filled + rest
}

/// Declares the texts once, for Rust and for the TypeScript object `HelperMessages`.
macro_rules! texts {
    (@in_editor $english:literal) => { $english };
    (@in_editor $english:literal $in_editor:literal) => { $in_editor };
    ($($constant:ident, $code:literal = $english:literal $(, in_editor = $in_editor:literal)?;)+) => {
        /// The texts.
        #[allow(missing_docs)] // The texts explain themselves.
        pub mod texts {
            use super::Template;
            $(pub const $constant: Template = Template {
                code: $code,
                english: $english,
                in_editor: texts!(@in_editor $english $($in_editor)?),
            };)+
        }

        /// Every text.
        pub const TEXTS: &[Template] = &[$(texts::$constant),+];
    };
}

texts! {
    NO_PROCESS, "noProcess" = "there is no process {pid}";
    IS_THREAD, "isThread" = "{tid} is a thread of process {pid}, not a process of its own";
    TO_NAME_PROCESS, "toNameProcess" = "name the process: {pid}";
    PROCESS_NOT_SHOWN, "processNotShown" = "there is no process {pid}, or /proc does not show it to you: it hides processes of other users (hidepid)";
    NO_PROC, "noProc" = "/proc is missing: all information about processes comes from it";
    NO_ERLANG_PROCESS, "noErlangProcess" = "process {pid} has no Erlang process {process}";
    NEVER_RESTS, "neverRests" = "the Erlang process {process} did not rest for a copy of its heap, for a second or longer: it is alive, and works or waits for a processor";
    HEAP_NOT_COPIED, "heapNotCopied" = "the heap of the Erlang process {process} cannot be read: {detail}";
    HEAP_TOOK_TOO_LONG, "heapTookTooLong" = "the heap of the Erlang process {process} was not read completely after {seconds} seconds";
    HEAP_UNKNOWN, "heapUnknown" = "the heap of the Erlang process {process} does not have the layout that is known for this release";
    NOT_A_VM, "notAVm" = "process {pid} is not an Erlang VM";
    MAY_NOT_BE_READ, "mayNotBeRead" = "process {pid} may not be read: {detail}";
    NOT_YOURS, "notYours" = "process {pid} is not yours: it belongs to {owner}, and you are {caller}";
    PROTECTED, "protectedProcess" = "process {pid} has rights that {owner} does not have, and is not read";
    POLICY_REFUSED, "policyRefused" = "process {pid} is not yours: it belongs to {owner}, and the policy that could allow it does not count: {detail}";
    NOT_CERTAIN, "notCertain" = "the process cannot be identified for certain: {detail}";
    NOT_LOCKED_IN, "notLockedIn" = "rights that are not needed cannot be dropped: {detail}";
    PROCESS_REPLACED, "processReplaced" = "process {pid} runs another program now";
    PROCESS_ENDED, "processEnded" = "process {pid} has ended";
    STILL_STARTING, "stillStarting" = "process {pid} has been running for {seconds} s and may still be starting: {detail}";
    VM_UNREADABLE, "vmUnreadable" = "this VM cannot be read: {detail}";
    TARGET_TOO_LARGE, "targetTooLarge" = "process {pid} is too large to read: {detail}";
    EMULATOR_UNREADABLE, "emulatorUnreadable" = "the emulator's binary cannot be read: {detail}";
    PROC_UNREADABLE, "procUnreadable" = "the system's information about the process cannot be read: {detail}";
    READING_WENT_WRONG, "readingWentWrong" = "reading process {pid} failed: an error in the profiler; please report it";
    SAMPLING_DENIED, "samplingDenied" = "sampling is not allowed: {detail}";
    NO_SAMPLING, "noSampling" = "sampling is not possible: {detail}";
    NO_BPF_ENGINE, "noBpfEngine" = "the bpf engine cannot be used: {detail}";
    CANNOT_RECORD, "cannotRecord" = "the VM cannot be sampled: {detail}";
    FILE_FAILED, "fileFailed" = "the capture file cannot be written: {detail}";
    FILE_EXISTS, "fileExists" = "the capture file cannot be written: {path} already exists";
    FILE_IS_LINK, "fileIsLink" = "the capture file cannot be written: {path} is a symbolic link, which is not followed";
    FILE_OF_OTHER_USER, "fileOfOtherUser" = "the capture file cannot be written: {path} belongs to another user, who could read the capture";
    FILE_HAS_OTHER_NAME, "fileHasOtherName" = "the capture file cannot be written: {path} has another name, too, under which the capture would appear";
    FILE_OF_OTHER_KIND, "fileOfOtherKind" = "the capture file cannot be written: {path} already exists and is not a file";
    FILE_IS_UNREAD_PIPE, "fileIsUnreadPipe" = "the capture file cannot be written: {path} is a pipe without a reader";
    FILE_IS_FOLDER, "fileIsFolder" = "the capture file cannot be written: {path} is a folder";
    FILE_REPLACED, "fileReplaced" = "the capture file cannot be written: {path} was replaced by another file, which is not touched";
    FILE_LIMIT_MET, "fileLimitMet" = "the capture file cannot grow further: {path} meets a limit on the size of files; its first {bytes} bytes are a valid capture";
    FILE_LIMIT_MET_AT_ONCE, "fileLimitMetAtOnce" = "the capture file cannot be written: {path} meets a limit on the size of files while it is still empty";
    NO_SPACE_AT_ALL, "noSpaceAtAll" = "the capture file cannot be written: there is no space for {path}, which is still empty";
    NO_SPACE_LEFT, "noSpaceLeft" = "the capture file cannot be written: no space left for {path}; its first {bytes} bytes are a valid capture";
    NOT_A_CAPTURE, "notACapture" = "this cannot be read as a capture: {detail}";
    NOT_ALL_THERE, "notAllThere" = "not all requirements are met: {checks}";
    WHY_OTHERS_PROCESS, "whyOthersProcess" = "it belongs to another user, or ptrace access is restricted";
    WHY_OWN_VMS_ONLY, "whyOwnVmsOnly" = "this helper has rights that you do not have, and uses them for your own VMs only";
    WHY_NOT_GUESSED, "whyNotGuessed" = "nothing was read, because the place of its fields would be a guess";
    WHY_TOO_LARGE, "whyTooLarge" = "no Erlang VM is so large; it may be another program with the name of one";
    VM_STOPPED, "vmStopped" = "process {pid} is halted: a signal has stopped it";
    VM_TRACED, "vmTraced" = "process {pid} is halted: a debugger (process {debugger}) holds it";
    VM_FROZEN, "vmFrozen" = "process {pid} is halted: its control group is frozen, as by `docker pause`";
    WHETHER_HALTED_UNKNOWN, "whetherHaltedUnknown" = "it is not known whether process {pid} is halted: the kernel shows neither its control group nor where it waits";
    TO_RESUME, "toResume" = "resume it: {command}";
    TO_LET_GO, "toLetGo" = "let the debugger resume or detach it";
    TO_THAW, "toThaw" = "thaw it where it was frozen";
    TO_SEE_WHETHER_HALTED, "toSeeWhetherHalted" = "root sees where it waits";
    NO_ANSWER, "noAnswer" = "process {pid} could not be read within {seconds} s; it may have mapped a file that does not answer";
    STILL_READING, "stillReading" = "process {pid} could not be read within {seconds} s: this machine is overloaded; the process that reads it is still at work, or waits for a processor";
    SAMPLER_NOT_STARTED, "samplerNotStarted" = "the sampling process cannot be started: {detail}";
    SAMPLER_LOST, "samplerLost" = "the sampling process has exited: {detail}";
    LOOK_FAILED, "lookFailed" = "reading process {pid} failed: {detail}";
    WHY_PERF_REFUSED, "whyPerfRefused" = "kernel.perf_event_paranoid, a missing capability or a seccomp filter";
    WHY_ASKS_FOR_ADMIN, "whyAsksForAdmin" = "this kernel requires CAP_SYS_ADMIN while kernel.perf_event_paranoid is above 2, as those of Debian and Ubuntu do";
    TO_LOWER_PARANOID, "toLowerParanoid" = "set it to 2, the kernel's own default, at which CAP_PERFMON does: {command} (or run it as root, with a helper that has no rights of its own)",
        in_editor = "have root set it to 2, the kernel's own default: {command}";
    TO_SEE_VMS, "toSeeVms" = "`extrospect list` lists the VMs here",
        in_editor = "the Targets view lists the VMs here";
    TO_MOUNT_PROC, "toMountProc" = "mount it: mount -t proc proc /proc";
    TO_SHOW_PROCESSES, "toShowProcesses" = "run it as root, or have root show them: mount -o remount,hidepid=0 /proc",
        in_editor = "have root mount /proc with hidepid=0, which shows them";
    TO_SEE_WORK, "toSeeWork" = "`extrospect pstack {pid}` shows its activity; its heap can be read when it waits",
        in_editor = "a capture of {pid} shows its activity; its heap can be read when it waits";
    TO_SEE_SIZES, "toSeeSizes" = "`extrospect ps {pid}` shows its sizes and how many bytes of binaries it holds",
        in_editor = "the list of the processes of {pid} shows its sizes and the binaries that it holds";
    TO_SEE_PROCESSES, "toSeeProcesses" = "`extrospect ps {pid}` lists its processes",
        in_editor = "refresh the processes of {pid}";
    TO_GIVE_RIGHTS, "toGiveRights" = "install a copy that has the right, once: {command} (or run it as root)",
        in_editor = "install the helper that has the right to, once: {command}";
    TO_JOIN_GROUP, "toJoinGroup" = "the installed copy has the right, and is for members of its group: {command}, then log in again",
        in_editor = "the installed helper has the right, and is for members of its group: {command}, then log in again";
    TO_GIVE_RIGHTS_FOR_OTHERS, "toGiveRightsForOthers" = "run it as root; or install a copy that has the right, once: {command}, and have root allow it in {path}: [users] {caller} = [\"{owner}\"]",
        in_editor = "install the helper that has the right to, once: {command}, and have root allow it in {path}: [users] {caller} = [\"{owner}\"]";
    TO_ALLOW_BY_POLICY, "toAllowByPolicy" = "have root run it (sudo with a helper that has no rights of its own), or allow it in {path}: [users] {caller} = [\"{owner}\"]",
        in_editor = "have root allow it in {path}: [users] {caller} = [\"{owner}\"]";
    TO_RUN_AS_ROOT, "toRunAsRoot" = "have root run it (sudo with a helper that has no rights of its own)",
        in_editor = "have root profile it from a terminal";
    TO_MEND_POLICY, "toMendPolicy" = "have root fix it: {command}";
    TO_USE_READV, "toUseReadv" = "use the other engine (--engine readv), or install a copy that has the right, once: {command} (or run it as root)",
        in_editor = "set extrospect.engine to readv, or install the helper that has the right to, once: {command}";
    TO_USE_OTHER_ENGINE, "toUseOtherEngine" = "use the other engine (--engine readv); `extrospect doctor` shows how to give this one its rights",
        in_editor = "set extrospect.engine to readv; the command “Extrospect: Check Permissions and Setup” shows how to give this one its rights";
    TO_WRITE_POLICY, "toWritePolicy" = "this copy already has its rights: it reads your own VMs, and root allows those of other users in {path}";
    TO_TRY_LATER, "toTryLater" = "try again shortly";
    TO_SEE_WHY, "toSeeWhy" = "its message is the reason; `extrospect doctor` shows further missing requirements",
        in_editor = "its message is the reason; the command “Extrospect: Check Permissions and Setup” shows further missing requirements";
    TO_SAMPLE_AGAIN, "toSampleAgain" = "start again; the samples captured until then are kept";
    TO_ASK_DOCTOR_FOUND, "toAskDoctorFound" = "`extrospect doctor PID` shows the findings",
        in_editor = "the command “Extrospect: Check Permissions and Setup” shows the findings";
    TO_ASK_DOCTOR_MISSING, "toAskDoctorMissing" = "`extrospect doctor PID` shows the missing requirements",
        in_editor = "the command “Extrospect: Check Permissions and Setup” shows the missing requirements";
    TO_ASK_DOCTOR, "toAskDoctor" = "`extrospect doctor` shows the requirements of sampling",
        in_editor = "the command “Extrospect: Check Permissions and Setup” shows the requirements of sampling";
    TO_READ_ROWS, "toReadRows" = "each failing row names the command that fixes it";
    TO_START_WITHOUT_HIPE, "toStartWithoutHipe" = "run it on an emulator without HiPE to profile it (Debian: erlang-base)";
    TO_START_USUAL, "toStartUsual" = "start it without -emu_type to profile it";
    TO_MAKE_FILES_ANSWER, "toMakeFilesAnswer" = "find the files that it maps (/proc/{pid}/maps), make their file systems answer or unmount them, and try again";
    TO_FREE_PROCESSORS, "toFreeProcessors" = "try again when other programs leave a processor free";
    TO_LOOK_FIRST, "toLookFirst" = "check first which program it runs";
    TO_REPLACE_FILE, "toReplaceFile" = "use --force to replace it",
        in_editor = "rename or remove the file that is there";
    TO_NAME_FILE, "toNameFile" = "name a file in it: -o {path}/capture.pb.gz",
        in_editor = "name a file in {path}";
    TO_RAISE_OPEN_FILES, "toRaiseOpenFiles" = "raise the limit of open files, which is {limit}, in the shell that starts it: ulimit -n 65536 (where that is refused: sudo prlimit --pid $$ --nofile=65536:65536)",
        in_editor = "raise the limit of open files, which is {limit}, in the shell that starts the editor: ulimit -n 65536";
    TO_RAISE_ALL_FILES, "toRaiseAllFiles" = "all programs together have too many files open: sudo sysctl fs.file-max=1000000";
    TO_FREE_MEMORY, "toFreeMemory" = "free memory, or raise the limits in the shell that starts it: ulimit -d unlimited -v unlimited",
        in_editor = "free memory, or raise the limits in the shell that starts the editor: ulimit -d unlimited -v unlimited";
    TO_RAISE_PROCESSES, "toRaiseProcesses" = "raise the limit on processes in the shell that starts it: ulimit -u unlimited",
        in_editor = "raise the limit on processes in the shell that starts the editor: ulimit -u unlimited";
    TO_RAISE_MEMORY_OR_PROCESSES, "toRaiseMemoryOrProcesses" = "raise the limits on memory and processes in the shell that starts it: ulimit -v unlimited -u unlimited",
        in_editor = "raise the limits on memory and processes in the shell that starts the editor: ulimit -v unlimited -u unlimited";
    TO_REMOVE_FILE, "toRemoveFile" = "remove it, or choose another place with -o",
        in_editor = "remove it, or choose another folder for captures (extrospect.capture.folder)";
    TO_RAISE_FILE_LIMIT, "toRaiseFileLimit" = "raise the limit in the shell that starts it: ulimit -f unlimited",
        in_editor = "raise the limit in the shell that starts the editor: ulimit -f unlimited";
    TO_FREE_ROOM, "toFreeRoom" = "free some room, or choose another place with -o",
        in_editor = "free some room, or choose another folder for captures (extrospect.capture.folder)";
    TO_CHOOSE_PLACE, "toChoosePlace" = "choose another place with -o",
        in_editor = "choose another folder for captures (extrospect.capture.folder)";
    TO_GIVE_CAPTURE, "toGiveCapture" = "use a capture (*.pb.gz) or another pprof profile";
    TO_ATTACH_RUNNING, "toAttachRunning" = "attach to a process that runs";
    TO_STOP_TRACING, "toStopTracing" = "end it where it was begun: dbg, a debugger, eprof, tprof or recon_trace";
    TO_RAISE_QUOTA, "toRaiseQuota" = "raise the quota of its control group, or start the VM with fewer schedulers (+S)";
    TO_GET_NAMES, "toGetNames" = "install the debug packages (Debian: apt install PACKAGE-dbgsym), or fetch the files by build id, which a server thereby learns: extrospect doctor {pid} --debuginfod",
        in_editor = "install the debug packages of process {pid} (Debian: apt install PACKAGE-dbgsym), or set extrospect.debuginfod.fetch to always: files are fetched by build id, which a server thereby learns";
    TO_BOOT_PERF, "toBootPerf" = "boot a kernel with CONFIG_PERF_EVENTS";
    TO_ALLOW_CONTAINER, "toAllowContainer" = "docker run --cap-add=PERFMON --cap-add=SYS_PTRACE --security-opt seccomp=unconfined ... (or run outside the container; without a container, let the program that starts it keep these capabilities: CapabilityBoundingSet= in a unit of systemd)";
    TO_LEAVE_NAMESPACE, "toLeaveNamespace" = "run it outside the user namespace: VMs of containers are visible from there";
    TO_LEAVE_SANDBOX, "toLeaveSandbox" = "start it where programs may get rights: this process was started with no_new_privs (a sandbox, systemd's NoNewPrivileges, a container's no-new-privileges)",
        in_editor = "start the editor where programs may get rights: it was started with no_new_privs (a sandbox, systemd's NoNewPrivileges, a container's no-new-privileges)";
    TO_START_COPY, "toStartCopy" = "start the installed copy, which has the right: {path}",
        in_editor = "reload the window: the installed copy has the right ({path}) and then starts";
    TO_BOOT_UNLOCKED, "toBootUnlocked" = "boot with lockdown=integrity on the kernel's command line: it cannot be lowered while the machine runs";
    TO_ALLOW_SELINUX, "toAllowSelinux" = "find the refused access (sudo ausearch -m AVC -c extrospect) and allow only that (audit2allow), or run it outside the container";
    TO_ALLOW_APPARMOR, "toAllowApparmor" = "add to the profile: capability perfmon, capability bpf, capability sys_ptrace, ptrace (read); for a container: --security-opt apparmor=unconfined";
    DETACHED_NAME_TAKEN, "detachedNameTaken" = "a detached capture {name} already exists";
    NO_DETACHED_NAME, "noDetachedName" = "a detached capture cannot be called {name}";
    WHY_NO_DETACHED_NAME, "whyNoDetachedName" = "its name must be at most 64 letters, digits and . _ - + @, with a letter or a digit first";
    NO_DETACHED_CAPTURE, "noDetachedCapture" = "there is no detached capture {name}";
    DETACHED_GOES_ON, "detachedGoesOn" = "the detached capture {name} is still running";
    DETACHED_NOT_ENDED, "detachedNotEnded" = "the detached capture {name} was stopped, but has not ended yet";
    DETACHED_UNREADABLE, "detachedUnreadable" = "the detached capture {name} cannot be read: {detail}";
    DETACHED_NOT_KEPT, "detachedNotKept" = "there is no place for the detached capture {name}: {detail}";
    DETACHED_NOT_STARTED, "detachedNotStarted" = "the recording process of {name} ended before it began: {detail}";
    TO_CHOOSE_NAME, "toChooseName" = "choose another name";
    TO_CHOOSE_NAME_OR_REMOVE, "toChooseNameOrRemove" = "choose another name, or remove that one: extrospect detached remove {name}",
        in_editor = "choose another name, or delete {name}";
    TO_LIST_DETACHED, "toListDetached" = "`extrospect detached` lists them",
        in_editor = "refresh the list";
    TO_STOP_DETACHED, "toStopDetached" = "stop it first: extrospect detached stop {name}",
        in_editor = "stop {name} first";
    TO_MEND_STATE_FOLDER, "toMendStateFolder" = "make sure that ~/.local/state/extrospect is your own folder and has free space";
    WORK_NOT_COUNTED, "workNotCounted" = "the work cannot be counted: {detail}";
    WHY_COUNT_FIRST, "whyCountFirst" = "the counter is read before sampling begins, and nothing was recorded";
    TO_MEND_WORK_COMMAND, "toMendWorkCommand" = "run the command yourself: it must print one number within ten seconds (--work-command)",
        in_editor = "run the command yourself: it must print one number within ten seconds (extrospect.capture.workCommand)";
    TO_MEND_WORK_METRIC, "toMendWorkMetric" = "fetch the page with curl: it must contain the metric in the Prometheus text format (--work-metric, --work-url)",
        in_editor = "open the page in a browser: it must contain the metric in the Prometheus text format (extrospect.capture.workMetric)";
    CHECK_SAMPLING, "checkSampling" = "sampling";
    CHECK_TO_SAMPLE, "checkToSample" = "capability to sample";
    CHECK_TO_READ, "checkToRead" = "capability to read";
    CHECK_LOCKED_MEMORY, "checkLockedMemory" = "locked memory";
    CHECK_OPEN_FILES, "checkOpenFiles" = "open files";
    CHECK_EVENT, "checkEvent" = "event";
    CHECK_EXACT, "checkExact" = "exact stacks (bpf)";
    CHECK_REALTIME, "checkRealtime" = "real-time priority";
    CHECK_KERNEL_SYMBOLS, "checkKernelSymbols" = "kernel symbols";
    CHECK_C_NAMES, "checkCNames" = "names of C functions";
    CHECK_USER_NAMESPACE, "checkUserNamespace" = "user namespace";
    CHECK_LOCKDOWN, "checkLockdown" = "kernel lockdown";
    CHECK_INSTALLED_COPY, "checkInstalledCopy" = "installed copy";
    NEED_COPY, "needCopy" = "none, or one of exactly this version, and you in its group";
    FOUND_NO_COPY, "foundNoCopy" = "none ({path})";
    FOUND_COPY_NOT_FOR_YOU, "foundCopyNotForYou" = "{path}, which you may not start";
    FOUND_SAME_COPY, "foundSameCopy" = "{path}, version {version}, this very program";
    FOUND_IS_COPY, "foundIsCopy" = "this very program, in a folder of its own";
    FOUND_POLICY_SAYS, "foundPolicySays" = "your own VMs, and those of others that root's policy allows";
    FOUND_OTHER_COPY, "foundOtherCopy" = "{path}, version {version}, not this program";
    CHECK_ATTACH, "checkAttach" = "attach";
    CHECK_RUNS, "checkRuns" = "state of this VM";
    CHECK_TRACING, "checkTracing" = "call tracing";
    CHECK_PROCESS_TRACING, "checkProcessTracing" = "process tracing";
    CHECK_QUOTA, "checkQuota" = "processor quota";
    CHECK_SCHEDULERS, "checkSchedulers" = "schedulers online";
    CHECK_THIS_VM, "checkThisVm" = "sampling this VM";
    NEED_EVENTS, "needEvents" = "events can be opened (tried on this process)";
    NEED_PARANOID, "needParanoid" = "2 or less for your own VMs, 1 or less to see kernel time, or CAP_PERFMON";
    NEED_PERFMON, "needPerfmon" = "CAP_PERFMON to sample VMs of other users and kernel time";
    NEED_PTRACE, "needPtrace" = "CAP_SYS_PTRACE to read VMs of other users (nothing is traced)";
    NEED_YAMA, "needYama" = "0 or no Yama, or CAP_SYS_PTRACE (1 or 2)";
    NEED_USER_NAMESPACE, "needUserNamespace" = "that of the machine: the kernel accepts CAP_PERFMON, CAP_BPF, CAP_SYS_NICE and CAP_IPC_LOCK in no other";
    NEED_LOCKDOWN, "needLockdown" = "none or integrity; nothing of the kernel's memory is read";
    NEED_SELINUX, "needSelinux" = "not enforcing, or a domain that has perf_event, bpf and sys_ptrace";
    NEED_APPARMOR, "needApparmor" = "no profile, or one that has the capabilities and ptrace (read)";
    NEED_UNPRIVILEGED_BPF, "needUnprivilegedBpf" = "any value";
    NEED_SECCOMP, "needSeccomp" = "no filter, or one that lets perf_event_open and process_vm_readv through";
    NEED_RING, "needRing" = "a ring of 516 KiB for each CPU (tried)";
    NEED_FILES, "needFiles" = "{files}: {threads} threads x {cpus} CPUs and {others} more";
    NEED_CLOCK, "needClock" = "the clock of the processor, with which all samples stand for the same time";
    NEED_BPF, "needBpf" = "the kernel accepts a small eBPF program (tried): Linux 5.8, CAP_BPF and CAP_PERFMON; without it stacks under C code are read right after the sample and some stay unproven";
    NEED_REALTIME, "needRealtime" = "allowed (CAP_SYS_NICE), for the threads that read stacks";
    NEED_KERNEL_SYMBOLS, "needKernelSymbols" = "readable, for --include-kernel only",
        in_editor = "readable, for kernel frames only";
    NEED_C_NAMES, "needCNames" = "full symbols or debug files of the emulator and of libraries with NIFs and drivers; without them static C functions show an address";
    NEED_VM, "needVm" = "an Erlang VM that the helper may read";
    NEED_RUNS, "needRuns" = "a VM that runs: any other gives no samples";
    NEED_NOT_TRACED, "needNotTraced" = "no function of the VM is traced: tracing takes time of its own";
    NEED_NO_PROCESS_TRACED, "needNoProcessTraced" = "no message or event of a process is traced: tracing takes time of its own";
    NEED_QUOTA, "needQuota" = "none, or one that does not throttle the VM: nothing of it runs then";
    NEED_SCHEDULERS, "needSchedulers" = "known, and not blocked by a process: schedulers that are offline or blocked run nothing";
    NEED_EVENT_ON_VM, "needEventOnVm" = "an event can be opened on it";
    FOUND_USER_ONLY, "foundUserOnly" = "{event}, user code only: time in the kernel is not seen";
    FOUND_WITH_KERNEL, "foundWithKernel" = "{event} with the kernel's part";
    FOUND_NO_PERF, "foundNoPerf" = "absent: no perf events in this kernel";
    FOUND_ASKS_FOR_ADMIN, "foundAsksForAdmin" = "{value}, at which this kernel requires CAP_SYS_ADMIN, and CAP_PERFMON is not enough";
    FOUND_NOT_ASKED, "foundNotAsked" = "{value}, not required of the helper ({capability})";
    FOUND_INCLUDED, "foundIncluded" = "CAP_SYS_ADMIN, which includes it";
    FOUND_NO_CAPABILITY, "foundNoCapability" = "neither CAP_PERFMON nor CAP_SYS_ADMIN";
    FOUND_NO_PTRACE, "foundNoPtrace" = "no CAP_SYS_PTRACE: only your own VMs can be read";
    FOUND_NOT_COUNTED, "foundNotCounted" = "{capability}, which does not count in this user namespace";
    FOUND_MACHINES_NAMESPACE, "foundMachinesNamespace" = "that of the machine";
    FOUND_OTHER_NAMESPACE, "foundOtherNamespace" = "not that of the machine: of the helper's capabilities, only CAP_SYS_PTRACE counts, and only for VMs in it";
    FOUND_NOT_IN_FORCE, "foundNotInForce" = "not in force";
    FOUND_UNCONFINED, "foundUnconfined" = "in force, but does not confine the helper";
    FOUND_GUARD_PASSES, "foundGuardPasses" = "{guard}; sampling works";
    FOUND_GUARD_PERHAPS, "foundGuardPerhaps" = "{guard}, which may refuse sampling";
    FOUND_NO_DIFFERENCE, "foundNoDifference" = "{value}, which makes no difference: CAP_BPF and CAP_PERFMON are required at any value";
    FOUND_NO_YAMA, "foundNoYama" = "no Yama in this kernel";
    FOUND_YAMA_NEVER, "foundYamaNever" = "3: no process may be read until the next boot";
    FOUND_YAMA_DENIES, "foundYamaDenies" = "{scope}: VMs may not be read";
    FOUND_NO_FILTER, "foundNoFilter" = "no filter";
    FOUND_FILTER_UNKNOWN, "foundFilterUnknown" = "not reported by the kernel; sampling works";
    FOUND_FILTER_PASSES, "foundFilterPasses" = "a filter that lets perf_event_open through";
    FOUND_FILTER_REFUSES, "foundFilterRefuses" = "a filter, which refuses perf_event_open";
    FOUND_FILTER_PERHAPS, "foundFilterPerhaps" = "a filter, which may be what refuses perf_event_open";
    FOUND_MEMORY, "foundMemory" = "perf_event_mlock_kb {kib}, locked memory {limit}";
    FOUND_MEMORY_FREE, "foundMemoryFree" = "perf_event_mlock_kb {kib}, locked memory {limit}, not required of the helper (CAP_IPC_LOCK)";
    FOUND_MEMORY_UNTRIED, "foundMemoryUntried" = "perf_event_mlock_kb {kib}, locked memory {limit}; not tried: {detail}";
    FOUND_MEMORY_REFUSED, "foundMemoryRefused" = "perf_event_mlock_kb {kib}, locked memory {limit}; {detail}";
    FOUND_LIMIT_NOT_REPORTED, "foundLimitNotReported" = "the limit is not reported";
    FOUND_UNLIMITED, "foundUnlimited" = "unlimited";
    FOUND_CLOCK, "foundClock" = "the CPU clock";
    FOUND_NO_EVENT, "foundNoEvent" = "unknown: no event can be opened";
    FOUND_BPF_WORKS, "foundBpfWorks" = "bpf works";
    FOUND_READV, "foundReadv" = "readv is used: {detail}";
    FOUND_ALLOWED, "foundAllowed" = "allowed";
    FOUND_NOT_REALTIME, "foundNotRealtime" = "not allowed: stacks behind C code are read later, and fewer of them are proven";
    FOUND_SYMBOLS, "foundSymbols" = "readable (kptr_restrict {level})";
    FOUND_NO_SYMBOLS, "foundNoSymbols" = "hidden (kptr_restrict {level}): kernel frames have no names";
    FOUND_ALL_NAMED, "foundAllNamed" = "full symbols of all code that the VM runs";
    FOUND_NOT_NAMED, "foundNotNamed" = "no full symbols of {objects}; DEBUGINFOD_URLS names no server";
    FOUND_NOT_NAMED_BY_SERVERS, "foundNotNamedByServers" = "no full symbols of {objects}; DEBUGINFOD_URLS names {servers}";
    FOUND_NOT_TRACED, "foundNotTraced" = "none of {functions} functions has a breakpoint";
    FOUND_TRACING_UNKNOWN, "foundTracingUnknown" = "not known: not all functions of the VM could be looked at";
    FOUND_TRACED, "foundTraced" = "{traced} of {functions} functions have breakpoints: calls of {reported} are reported, of {counted} counted, of {timed} timed, the memory of {measured} is measured";
    FOUND_NO_PROCESS_TRACED, "foundNoProcessTraced" = "none of {processes} processes is traced";
    FOUND_PROCESS_TRACING_UNKNOWN, "foundProcessTracingUnknown" = "not known: where the processes of this VM have their trace flags, or not all of them could be read";
    FOUND_PROCESSES_TRACED, "foundProcessesTraced" = "{traced} of {processes} processes are traced: messages sent of {sends}, messages received of {receives}, events of {events}, scheduling of {scheduling}, garbage collections of {collections}";
    FOUND_SOME_PROCESSES_TRACED, "foundSomeProcessesTraced" = "{traced} of {processes} processes are traced, and {others} others were not looked at: messages sent of {sends}, messages received of {receives}, events of {events}, scheduling of {scheduling}, garbage collections of {collections}";
    FOUND_NO_QUOTA, "foundNoQuota" = "none";
    FOUND_NO_QUOTA_IN_SIGHT, "foundNoQuotaInSight" = "none in the control groups in sight";
    FOUND_QUOTA_UNKNOWN, "foundQuotaUnknown" = "not known: its control group is not in sight";
    FOUND_QUOTA, "foundQuota" = "processors that its control group allows it: {processors}";
    FOUND_THROTTLED, "foundThrottled" = "processors that its control group allows it: {processors}; it was throttled in {throttled} of {periods} periods of this check";
    FOUND_SCHEDULERS, "foundSchedulers" = "{online} of {all}; dirty CPU schedulers {dirty_online} of {dirty_all}";
    FOUND_SCHEDULERS_BLOCKED, "foundSchedulersBlocked" = "{online} of {all}; multi-scheduling is blocked by {blockers}";
    FOUND_SCHEDULERS_UNKNOWN, "foundSchedulersUnknown" = "not known: {detail}";
    FOUND_ATTACHED, "foundAttached" = "attached to {pid} in {ms} ms";
    OPEN_DENIED, "openDenied" = "the kernel does not allow sampling this thread";
    OPEN_GONE, "openGone" = "the thread is gone";
    OPEN_NO_SUCH_EVENT, "openNoSuchEvent" = "this machine has no such event";
    OPEN_TOO_MANY_FILES, "openTooManyFiles" = "too many open files; raise the limit with `ulimit -n`",
        in_editor = "too many open files; raise the limit of open files that the editor is started with";
    OPEN_FAILED, "openFailed" = "perf_event_open: {detail}";
    DEBUG_NOT_ASKED, "debugNotAsked" = "not queried: {address}";
    DEBUG_NO_FOLDER, "debugNoFolder" = "there is no folder for debug files: set DEBUGINFOD_CACHE_PATH";
    DEBUG_SET_USER_ID, "debugSetUserId" = "with set-user-id rights, the helper writes nothing to the folder of a user";
    DEBUG_NOT_OURS, "debugNotOurs" = "{path} belongs to another user: set DEBUGINFOD_CACHE_PATH to a folder of your own";
    DEBUG_NO_CURL, "debugNoCurl" = "curl, which fetches them, is not installed (apt install curl)";
    DEBUG_CURL_NOT_STARTED, "debugCurlNotStarted" = "curl cannot be started: {detail}";
    DEBUG_TOO_LARGE, "debugTooLarge" = "it sends more than {limit} bytes (DEBUGINFOD_MAXSIZE)";
    DEBUG_SLOW, "debugSlow" = "it does not answer, or too slowly ({detail})";
    DEBUG_UNREACHABLE, "debugUnreachable" = "it cannot be reached ({detail})";
    DEBUG_NO_TIME_LEFT, "debugNoTimeLeft" = "there was no time left for it";
    DEBUG_UNPROVEN, "debugUnproven" = "it sends another file: {detail}";
    DEBUG_NOT_WRITTEN, "debugNotWritten" = "cannot write the file: {detail}";
    DEBUG_NOT_KEPT, "debugNotKept" = "it cannot be kept: {detail}";
}
