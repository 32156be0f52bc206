//! The system calls that go on to be made. Everything else is refused with EPERM.

use std::collections::BTreeMap;

use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen as Width, SeccompCmpOp as Is, SeccompCondition,
    SeccompFilter, SeccompRule, TargetArch,
};

use crate::LockError;

type Rules = BTreeMap<i64, Vec<SeccompRule>>;

/// Without conditions. Measured: `strace -fc` of each command on each engine, and the further calls
/// of the standard library for memory, threads or signals.
const UNCONDITIONAL: &[libc::c_long] = &[
    // Reading open files, and opening for reading.
    libc::SYS_read,
    libc::SYS_readv,
    libc::SYS_pread64,
    libc::SYS_preadv,
    libc::SYS_lseek,
    libc::SYS_fstat,
    libc::SYS_newfstatat,
    libc::SYS_stat,
    libc::SYS_lstat,
    libc::SYS_statx,
    libc::SYS_fstatfs,
    libc::SYS_statfs,
    libc::SYS_access,
    libc::SYS_faccessat2,
    libc::SYS_readlink,
    libc::SYS_readlinkat,
    libc::SYS_getdents64,
    libc::SYS_getcwd,
    libc::SYS_openat2,
    // Sampling and counting. Which threads, only we know: see `permitted-target`.
    libc::SYS_perf_event_open,
    libc::SYS_pidfd_open,
    // Waiting.
    libc::SYS_poll,
    libc::SYS_ppoll,
    libc::SYS_epoll_create1,
    libc::SYS_epoll_ctl,
    libc::SYS_epoll_wait,
    libc::SYS_epoll_pwait,
    libc::SYS_futex,
    libc::SYS_nanosleep,
    libc::SYS_clock_nanosleep,
    libc::SYS_clock_gettime,
    libc::SYS_clock_getres,
    libc::SYS_gettimeofday,
    libc::SYS_time,
    libc::SYS_sched_yield,
    libc::SYS_restart_syscall,
    // Memory.
    libc::SYS_brk,
    libc::SYS_munmap,
    libc::SYS_mremap,
    libc::SYS_madvise,
    libc::SYS_membarrier,
    libc::SYS_getrandom,
    // Our own threads. For the first of these, the other filter returns that it is absent, which
    // counts only where this one lets it through.
    libc::SYS_clone3,
    libc::SYS_set_robust_list,
    libc::SYS_rseq,
    libc::SYS_sched_getaffinity,
    libc::SYS_sched_getparam,
    libc::SYS_sched_getscheduler,
    libc::SYS_gettid,
    libc::SYS_getpid,
    libc::SYS_getuid,
    libc::SYS_geteuid,
    libc::SYS_getgid,
    libc::SYS_getegid,
    libc::SYS_getgroups,
    libc::SYS_getrusage,
    libc::SYS_exit,
    libc::SYS_exit_group,
    // Signals that we get.
    libc::SYS_rt_sigaction,
    libc::SYS_rt_sigprocmask,
    libc::SYS_rt_sigreturn,
    libc::SYS_sigaltstack,
    // Fewer capabilities, or one that is permitted and was lowered.
    libc::SYS_capget,
    libc::SYS_capset,
];

/// Requests of ioctl: those of perf events.
const IOCTLS: [u64; 5] = [
    0x2400,      // PERF_EVENT_IOC_ENABLE
    0x2401,      // PERF_EVENT_IOC_DISABLE
    0x2405,      // PERF_EVENT_IOC_SET_OUTPUT
    0x4008_2404, // PERF_EVENT_IOC_PERIOD
    0x4004_2408, // PERF_EVENT_IOC_SET_BPF
];

/// Flags of openat that let a file be written or made.
const OPEN_FOR_WRITING: u64 = (libc::O_WRONLY
    | libc::O_RDWR
    | libc::O_CREAT
    | libc::O_TRUNC
    | libc::O_APPEND
    | (libc::O_TMPFILE & !libc::O_DIRECTORY)) as u64;

/// Commands of bpf(2) for maps that are open: a lookup and an update.
const BPF_COMMANDS: &[u64] = &[1, 2];
/// The same, and to make a map and load a program.
const BPF_COMMANDS_OF_OPENING: &[u64] = &[0, 1, 2, 5];

/// Operations of prctl: the names of our own threads.
const PRCTL: &[u64] = &[libc::PR_SET_NAME as u64];
/// The same, and to be locked in.
const PRCTL_OF_OPENING: &[u64] = &[
    libc::PR_SET_NAME as u64,
    libc::PR_SET_NO_NEW_PRIVS as u64,
    libc::PR_SET_SECCOMP as u64,
];

/// How far it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// The data of a target is read, and the resources for sampling are opened: rings, the eBPF program,
    /// threads of high priority. A closer lock can follow.
    Opening,
    /// Everything is open.
    Locked,
}

/// The actions that remain allowed.
#[derive(Debug, Clone)]
pub struct Lock {
    /// The process whose memory is read.
    pub target: u32,
    /// The descriptors that may be written to. They cannot be closed any more, so no other file takes
    /// their numbers. During the opening phase, every open descriptor may be written to.
    pub written: Vec<i32>,
    /// How far it is.
    pub phase: Phase,
}

impl Lock {
    /// The filter.
    pub(crate) fn filter(&self) -> Result<BpfProgram, LockError> {
        let mut rules = Rules::new();
        for number in UNCONDITIONAL {
            rules.insert(*number, Vec::new());
        }
        self.add_reading(&mut rules)?;
        self.add_memory_and_threads(&mut rules)?;
        match self.phase {
            Phase::Opening => add_opening(&mut rules),
            Phase::Locked => self.add_writing(&mut rules)?,
        }
        let refused = SeccompAction::Errno(libc::EPERM.cast_unsigned());
        program(rules, refused, SeccompAction::Allow)
    }

    fn add_reading(&self, rules: &mut Rules) -> Result<(), LockError> {
        let target = u64::from(self.target);
        one_of(rules, libc::SYS_process_vm_readv, 0, &[target])?;
        one_of(rules, libc::SYS_ioctl, 1, &IOCTLS)?;
        let (commands, limits) = match self.phase {
            // Limits are raised of ourselves alone.
            Phase::Opening => (BPF_COMMANDS_OF_OPENING, 0),
            // And then only read.
            Phase::Locked => (BPF_COMMANDS, 2),
        };
        one_of(rules, libc::SYS_bpf, 0, commands)?;
        let own = [(limits, Width::Qword, Is::Eq, 0)];
        all_of(rules, libc::SYS_prlimit64, &own)?;
        // Copies of descriptors, and their flags.
        let commands = [
            libc::F_DUPFD_CLOEXEC,
            libc::F_GETFD,
            libc::F_SETFD,
            libc::F_GETFL,
        ];
        let commands = commands.map(|command| u64::from(command.cast_unsigned()));
        one_of(rules, libc::SYS_fcntl, 1, &commands)?;
        for (number, flags) in [(libc::SYS_open, 1), (libc::SYS_openat, 2)] {
            let for_reading = (flags, Width::Dword, Is::MaskedEq(OPEN_FOR_WRITING), 0);
            all_of(rules, number, &[for_reading])?;
        }
        Ok(())
    }

    fn add_writing(&self, rules: &mut Rules) -> Result<(), LockError> {
        let written: Vec<u64> = self
            .written
            .iter()
            .map(|fd| u64::from(fd.cast_unsigned()))
            .collect();
        if written.is_empty() {
            rules.insert(libc::SYS_close, Vec::new());
            return Ok(());
        }
        one_of(rules, libc::SYS_write, 0, &written)?;
        one_of(rules, libc::SYS_writev, 0, &written)?;
        let others: Vec<Condition> = written
            .iter()
            .map(|fd| (0, Width::Dword, Is::Ne, *fd))
            .collect();
        all_of(rules, libc::SYS_close, &others)
    }

    fn add_memory_and_threads(&self, rules: &mut Rules) -> Result<(), LockError> {
        let (executable, shared) = (libc::PROT_EXEC as u64, libc::MAP_SHARED as u64);
        let not_executable = (2, Width::Dword, Is::MaskedEq(executable), 0);
        let mut mapped = vec![not_executable.clone()];
        if self.phase == Phase::Locked {
            // The rings are there, and no file is written through memory.
            mapped.push((3, Width::Dword, Is::MaskedEq(shared), 0));
        }
        all_of(rules, libc::SYS_mmap, &mapped)?;
        all_of(rules, libc::SYS_mprotect, &[not_executable])?;
        // Threads, and no processes.
        let thread = libc::CLONE_THREAD as u64;
        let is_thread = (0, Width::Dword, Is::MaskedEq(thread), thread);
        all_of(rules, libc::SYS_clone, &[is_thread])?;
        // Signals to ourselves: how a program ends that has found a mistake.
        let own = u64::from(std::process::id());
        one_of(rules, libc::SYS_tgkill, 0, &[own])?;
        // Priorities and CPUs of our own threads.
        one_of(rules, libc::SYS_sched_setscheduler, 0, &[0])?;
        one_of(rules, libc::SYS_sched_setaffinity, 0, &[0])?;
        one_of(rules, libc::SYS_setpriority, 1, &[0])?;
        let operations = match self.phase {
            Phase::Opening => PRCTL_OF_OPENING,
            Phase::Locked => PRCTL,
        };
        one_of(rules, libc::SYS_prctl, 0, operations)
    }
}

/// Descriptors whose numbers are not known yet are written to: those that wake readers. No file is open
/// for writing except those that we were started with.
fn add_opening(rules: &mut Rules) {
    for number in [
        libc::SYS_write,
        libc::SYS_writev,
        libc::SYS_close,
        libc::SYS_eventfd2,
        libc::SYS_seccomp,
    ] {
        rules.insert(number, Vec::new());
    }
}

/// What libraries do without where a kernel has it not: its arguments lie in memory, where no filter
/// can see them.
pub(crate) fn absent() -> Result<BpfProgram, LockError> {
    let rules = Rules::from([(libc::SYS_clone3, Vec::new())]);
    let absent = SeccompAction::Errno(libc::ENOSYS.cast_unsigned());
    program(rules, SeccompAction::Allow, absent)
}

type Condition = (u8, Width, Is, u64);

/// One argument has one of these values.
fn one_of(
    rules: &mut Rules,
    number: libc::c_long,
    argument: u8,
    values: &[u64],
) -> Result<(), LockError> {
    let rule = |value: &u64| {
        let condition = SeccompCondition::new(argument, Width::Dword, Is::Eq, *value)?;
        SeccompRule::new(vec![condition])
    };
    let chain: Vec<SeccompRule> = values.iter().map(rule).collect::<Result<_, _>>()?;
    rules.insert(number, chain);
    Ok(())
}

/// All of these hold.
fn all_of(
    rules: &mut Rules,
    number: libc::c_long,
    conditions: &[Condition],
) -> Result<(), LockError> {
    let conditions = conditions
        .iter()
        .map(|(argument, width, is, value)| {
            SeccompCondition::new(*argument, width.clone(), is.clone(), *value)
        })
        .collect::<Result<_, _>>()?;
    rules.insert(number, vec![SeccompRule::new(conditions)?]);
    Ok(())
}

fn program(
    rules: Rules,
    otherwise: SeccompAction,
    matched: SeccompAction,
) -> Result<BpfProgram, LockError> {
    let arch = TargetArch::try_from(std::env::consts::ARCH)?;
    Ok(SeccompFilter::new(rules, otherwise, matched, arch)?.try_into()?)
}
