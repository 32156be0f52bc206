//! The system calls that go on to be made. Everything else is refused with EPERM.

use std::collections::BTreeMap;

use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen as Width, SeccompCmpOp as Is, SeccompCondition,
    SeccompFilter, SeccompRule, TargetArch,
};

use crate::LockError;

type Rules = BTreeMap<i64, Vec<SeccompRule>>;

/// Without conditions. Measured: `strace -fc` of each command on each engine, and what the standard
/// library does beside when memory, threads or signals ask for it.
const UNCONDITIONAL: &[libc::c_long] = &[
    // Reading what is open, and opening for reading.
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
    // Sampling. Which threads, only we know: see `permitted-target`.
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
    // Our own threads. The first of these is told to be absent by the other filter, which counts only
    // where this one lets it through.
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

/// Requests of ioctl: those of a terminal's size and settings, and of perf events.
const IOCTLS: [u64; 14] = [
    libc::TIOCGWINSZ,
    libc::TCGETS,
    libc::TCSETS,
    libc::TCSETS + 1,
    libc::TCSETS + 2,
    // The same with any speed, which rustix asks for first.
    0x802c_542a, // TCGETS2
    0x402c_542b, // TCSETS2
    0x402c_542c, // TCSETSW2
    0x402c_542d, // TCSETSF2
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

/// Commands of bpf(2): a lookup and an update of maps that are open. No map and no program is made.
const BPF_COMMANDS: [u64; 2] = [1, 2];

/// What goes on after everything is open.
#[derive(Debug, Clone)]
pub struct Lock {
    /// The process whose memory is read.
    pub target: u32,
    /// The descriptors that may be written to. They cannot be closed any more, so no other file takes
    /// their numbers.
    pub written: Vec<i32>,
    /// A file is completed at the end: one is made beside it and takes its place.
    pub completes_file: bool,
}

impl Lock {
    /// The filter.
    pub(crate) fn filter(&self) -> Result<BpfProgram, LockError> {
        let mut rules = Rules::new();
        for number in UNCONDITIONAL {
            rules.insert(*number, Vec::new());
        }
        self.add_reading(&mut rules)?;
        self.add_writing(&mut rules)?;
        add_memory_and_threads(&mut rules)?;
        let refused = SeccompAction::Errno(libc::EPERM.cast_unsigned());
        program(rules, refused, SeccompAction::Allow)
    }

    fn add_reading(&self, rules: &mut Rules) -> Result<(), LockError> {
        let target = u64::from(self.target);
        one_of(rules, libc::SYS_process_vm_readv, 0, &[target])?;
        one_of(rules, libc::SYS_ioctl, 1, &IOCTLS)?;
        one_of(rules, libc::SYS_bpf, 0, &BPF_COMMANDS)?;
        // Copies of descriptors, and their flags.
        let commands = [
            libc::F_DUPFD_CLOEXEC,
            libc::F_GETFD,
            libc::F_SETFD,
            libc::F_GETFL,
        ];
        let commands = commands.map(|command| u64::from(command.cast_unsigned()));
        one_of(rules, libc::SYS_fcntl, 1, &commands)?;
        // Limits are read, and of ourselves.
        one_of(rules, libc::SYS_prlimit64, 2, &[0])?;
        if !self.completes_file {
            let for_reading = Is::MaskedEq(OPEN_FOR_WRITING);
            all_of(
                rules,
                libc::SYS_openat,
                &[(2, Width::Dword, for_reading, 0)],
            )?;
        }
        Ok(())
    }

    fn add_writing(&self, rules: &mut Rules) -> Result<(), LockError> {
        let written: Vec<u64> = self
            .written
            .iter()
            .map(|fd| u64::from(fd.cast_unsigned()))
            .collect();
        if self.completes_file {
            for number in [
                libc::SYS_openat,
                libc::SYS_write,
                libc::SYS_writev,
                libc::SYS_close,
                libc::SYS_rename,
                libc::SYS_renameat,
                libc::SYS_renameat2,
                libc::SYS_unlink,
                libc::SYS_unlinkat,
                libc::SYS_fsync,
                libc::SYS_fdatasync,
                libc::SYS_ftruncate,
            ] {
                rules.insert(number, Vec::new());
            }
            return Ok(());
        }
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
}

/// What libraries do without where a kernel has it not: its arguments lie in memory, where no filter
/// can see them.
pub(crate) fn absent() -> Result<BpfProgram, LockError> {
    let rules = Rules::from([(libc::SYS_clone3, Vec::new())]);
    let absent = SeccompAction::Errno(libc::ENOSYS.cast_unsigned());
    program(rules, SeccompAction::Allow, absent)
}

fn add_memory_and_threads(rules: &mut Rules) -> Result<(), LockError> {
    let (executable, shared) = (libc::PROT_EXEC as u64, libc::MAP_SHARED as u64);
    let not_executable = (2, Width::Dword, Is::MaskedEq(executable), 0);
    // No file is written through memory.
    let private = (3, Width::Dword, Is::MaskedEq(shared), 0);
    all_of(rules, libc::SYS_mmap, &[not_executable.clone(), private])?;
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
    // The names of our threads.
    one_of(rules, libc::SYS_prctl, 0, &[libc::PR_SET_NAME as u64])
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
