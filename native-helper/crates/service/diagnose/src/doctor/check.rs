//! What `doctor` checks.

use attach::Check;
use protocol::message::{Text, texts};

/// What a row of `doctor` is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DoctorCheck {
    /// An event can be opened.
    Sampling,
    /// The kernel's setting for perf events.
    PerfEventParanoid,
    /// The capability to sample OS processes of other users.
    ToSample,
    /// The capability to read OS processes of other users.
    ToRead,
    /// Yama's setting for reading other processes.
    Yama,
    /// The user namespace, in which alone capabilities count.
    UserNamespace,
    /// Our own seccomp filter.
    Seccomp,
    /// What the kernel keeps from root.
    Lockdown,
    /// SELinux and our context.
    SeLinux,
    /// AppArmor and our profile.
    AppArmor,
    /// The memory that rings may take.
    LockedMemory,
    /// The descriptors that events take.
    OpenFiles,
    /// The event that is counted.
    Event,
    /// The engine `bpf`.
    ExactStacks,
    /// The sysctl that people know of.
    UnprivilegedBpf,
    /// The priority of threads that read stacks.
    RealTime,
    /// The names of kernel functions.
    KernelSymbols,
    /// The copy that root has installed.
    InstalledCopy,
    /// One VM, attached to.
    Attach,
    /// What the self-check of that VM checked.
    SelfCheck(Check),
    /// The names of its C functions.
    CNames,
    /// Whether that VM runs.
    Runs,
    /// Whether its calls are traced.
    Tracing,
    /// Whether messages and events of its processes are traced.
    ProcessTracing,
    /// The quota of its processor time.
    Quota,
    /// Which of its schedulers may run.
    SchedulersOnline,
    /// An event on that VM.
    ThisVm,
}

impl DoctorCheck {
    /// What people read.
    pub fn name(self) -> Text {
        match self {
            Self::Sampling => texts::CHECK_SAMPLING.text(),
            Self::PerfEventParanoid => Text::plain("perf_event_paranoid"),
            Self::ToSample => texts::CHECK_TO_SAMPLE.text(),
            Self::ToRead => texts::CHECK_TO_READ.text(),
            Self::Yama => Text::plain("Yama ptrace_scope"),
            Self::UserNamespace => texts::CHECK_USER_NAMESPACE.text(),
            Self::Seccomp => Text::plain("seccomp"),
            Self::Lockdown => texts::CHECK_LOCKDOWN.text(),
            Self::SeLinux => Text::plain("SELinux"),
            Self::AppArmor => Text::plain("AppArmor"),
            Self::LockedMemory => texts::CHECK_LOCKED_MEMORY.text(),
            Self::OpenFiles => texts::CHECK_OPEN_FILES.text(),
            Self::Event => texts::CHECK_EVENT.text(),
            Self::ExactStacks => texts::CHECK_EXACT.text(),
            Self::UnprivilegedBpf => Text::plain("unprivileged_bpf_disabled"),
            Self::RealTime => texts::CHECK_REALTIME.text(),
            Self::KernelSymbols => texts::CHECK_KERNEL_SYMBOLS.text(),
            Self::InstalledCopy => texts::CHECK_INSTALLED_COPY.text(),
            Self::Attach => texts::CHECK_ATTACH.text(),
            Self::SelfCheck(check) => Text::plain(check.name()),
            Self::CNames => texts::CHECK_C_NAMES.text(),
            Self::Runs => texts::CHECK_RUNS.text(),
            Self::Tracing => texts::CHECK_TRACING.text(),
            Self::ProcessTracing => texts::CHECK_PROCESS_TRACING.text(),
            Self::Quota => texts::CHECK_QUOTA.text(),
            Self::SchedulersOnline => texts::CHECK_SCHEDULERS.text(),
            Self::ThisVm => texts::CHECK_THIS_VM.text(),
        }
    }

    /// About a limit rather than about a right.
    pub fn is_limit(self) -> bool {
        matches!(self, Self::LockedMemory | Self::OpenFiles)
    }

    /// A setting without effect once a VM can be read and sampled all the same.
    pub fn is_mere_setting(self) -> bool {
        matches!(
            self,
            Self::PerfEventParanoid
                | Self::Yama
                | Self::UserNamespace
                | Self::Seccomp
                | Self::Lockdown
                | Self::SeLinux
                | Self::AppArmor
        )
    }
}
