//! Each forbidden call, tried from inside. The lock cannot be taken off again, so each is tried in a
//! process of its own: this very test program, in which a variable selects one of the tries.
#![allow(unsafe_code, missing_docs, clippy::unwrap_used)]

use std::ffi::CString;
use std::os::fd::AsRawFd;
use std::process::Command;

use lockdown::{Lock, Phase, Still, drop_rights, lock};

const WHICH: &str = "LOCKDOWN_TEST_TRY";
const PHASE: &str = "LOCKDOWN_TEST_PHASE";
const AS_ADMIN: &str = "locked as admin";

/// The calls that are refused only once everything is open.
const NEEDED_TO_OPEN: &[&str] = &[
    "write elsewhere",
    "close of what is written",
    "writable mapping of a file",
    "bpf program",
    "bpf map",
];

/// What a call came to: nothing less than the kernel's refusal will do.
fn refused(result: libc::c_long) -> bool {
    let error = std::io::Error::last_os_error();
    result == -1 && error.raw_os_error() == Some(libc::EPERM)
}

/// The calls by name, each of which works where there is no lock (or fails otherwise than by EPERM).
#[allow(clippy::too_many_lines)]
fn forbidden(name: &str, victim: i32) -> Option<bool> {
    let path = CString::new(format!("/tmp/lockdown-{}", std::process::id())).ok()?;
    let (byte, own) = ([7_u8; 8], std::process::id().cast_signed());
    let iovec = libc::iovec {
        iov_base: byte.as_ptr().cast_mut().cast(),
        iov_len: 8,
    };
    // SAFETY: plain system calls with pointers to locals that outlive them; none is expected to do
    // anything, and a failing test is the worst that comes of one that does.
    let result = unsafe {
        match name {
            "ptrace" => libc::ptrace(libc::PTRACE_SEIZE, victim, 0, 0),
            "process_vm_writev" => {
                libc::process_vm_writev(victim, &raw const iovec, 1, &raw const iovec, 1, 0) as i64
            }
            "read of another process" => {
                libc::process_vm_readv(own, &raw const iovec, 1, &raw const iovec, 1, 0) as i64
            }
            "kill" => i64::from(libc::kill(victim, 0)),
            "kill of ourselves" => i64::from(libc::kill(own, 0)),
            "tgkill" => libc::syscall(libc::SYS_tgkill, victim, victim, 0),
            "tkill" => libc::syscall(libc::SYS_tkill, victim, 0),
            "rt_sigqueueinfo" => libc::syscall(libc::SYS_rt_sigqueueinfo, victim, 0, 0),
            "pidfd_send_signal" => libc::syscall(libc::SYS_pidfd_send_signal, 0, 0, 0, 0),
            "pidfd_getfd" => libc::syscall(libc::SYS_pidfd_getfd, 0, 0, 0),
            "execve" => {
                let program = c"/bin/true";
                let arguments = [program.as_ptr(), std::ptr::null()];
                i64::from(libc::execv(program.as_ptr(), arguments.as_ptr()))
            }
            "execveat" => libc::syscall(libc::SYS_execveat, 0, 0, 0, 0, 0),
            "fork" => libc::syscall(libc::SYS_fork),
            "clone of a process" => libc::syscall(libc::SYS_clone, libc::SIGCHLD, 0, 0, 0, 0),
            "socket" => i64::from(libc::socket(libc::AF_INET, libc::SOCK_STREAM, 0)),
            "socket of unix" => i64::from(libc::socket(libc::AF_UNIX, libc::SOCK_STREAM, 0)),
            "open for writing" => i64::from(libc::open(c"/dev/null".as_ptr(), libc::O_WRONLY)),
            "open for both" => i64::from(libc::open(c"/dev/null".as_ptr(), libc::O_RDWR)),
            "create" => i64::from(libc::open(path.as_ptr(), libc::O_CREAT, 0o600)),
            "creat" => libc::syscall(libc::SYS_creat, path.as_ptr(), 0o600),
            "old open" => libc::syscall(libc::SYS_open, c"/dev/null".as_ptr(), libc::O_WRONLY),
            "truncate" => i64::from(libc::truncate(path.as_ptr(), 0)),
            "unlink" => i64::from(libc::unlink(path.as_ptr())),
            "rename" => i64::from(libc::rename(path.as_ptr(), path.as_ptr())),
            "mkdir" => i64::from(libc::mkdir(path.as_ptr(), 0o700)),
            "chmod" => i64::from(libc::chmod(path.as_ptr(), 0o600)),
            "link" => i64::from(libc::link(path.as_ptr(), path.as_ptr())),
            "write elsewhere" => libc::write(0, byte.as_ptr().cast(), 8) as i64,
            "close of what is written" => i64::from(libc::close(1)),
            "dup2" => i64::from(libc::dup2(2, 1)),
            "writable mapping of a file" => shared_mapping(),
            "executable memory" => executable_mapping(),
            "bpf program" => libc::syscall(libc::SYS_bpf, 5, 0, 0),
            "bpf map" => libc::syscall(libc::SYS_bpf, 0, 0, 0),
            "prctl" => i64::from(libc::prctl(libc::PR_SET_DUMPABLE, 1)),
            "setuid" => libc::syscall(libc::SYS_setuid, 0),
            "mount" => libc::syscall(libc::SYS_mount, 0, 0, 0, 0, 0),
            "unshare" => i64::from(libc::unshare(libc::CLONE_NEWUSER)),
            "setns" => i64::from(libc::setns(0, 0)),
            "io_uring" => libc::syscall(libc::SYS_io_uring_setup, 1, 0),
            "userfaultfd" => libc::syscall(libc::SYS_userfaultfd, 0),
            "limit of another process" => {
                let limit = libc::rlimit {
                    rlim_cur: 0,
                    rlim_max: 0,
                };
                i64::from(libc::prlimit(
                    victim,
                    libc::RLIMIT_CPU,
                    &raw const limit,
                    std::ptr::null_mut(),
                ))
            }
            "priority of another process" => {
                let lowest = libc::sched_param { sched_priority: 0 };
                i64::from(libc::sched_setscheduler(victim, 0, &raw const lowest))
            }
            "CPUs of another process" => {
                let set: libc::cpu_set_t = std::mem::zeroed();
                i64::from(libc::sched_setaffinity(victim, 8, &raw const set))
            }
            _ => return None,
        }
    };
    Some(refused(result))
}

fn shared_mapping() -> i64 {
    // SAFETY: a fresh mapping at an address of the kernel's choice, or a refusal.
    let at = unsafe {
        libc::mmap(
            std::ptr::null_mut(),
            4096,
            libc::PROT_READ | libc::PROT_WRITE,
            libc::MAP_SHARED | libc::MAP_ANONYMOUS,
            -1,
            0,
        )
    };
    at as i64
}

fn executable_mapping() -> i64 {
    // SAFETY: as above.
    let at = unsafe {
        libc::mmap(
            std::ptr::null_mut(),
            4096,
            libc::PROT_READ | libc::PROT_EXEC,
            libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
            -1,
            0,
        )
    };
    at as i64
}

const TRIES: &[&str] = &[
    "ptrace",
    "process_vm_writev",
    "read of another process",
    "kill",
    "kill of ourselves",
    "tgkill",
    "tkill",
    "rt_sigqueueinfo",
    "pidfd_send_signal",
    "pidfd_getfd",
    "execve",
    "execveat",
    "fork",
    "clone of a process",
    "socket",
    "socket of unix",
    "open for writing",
    "open for both",
    "create",
    "creat",
    "old open",
    "truncate",
    "unlink",
    "rename",
    "mkdir",
    "chmod",
    "link",
    "write elsewhere",
    "close of what is written",
    "dup2",
    "writable mapping of a file",
    "executable memory",
    "bpf program",
    "bpf map",
    "prctl",
    "setuid",
    "mount",
    "unshare",
    "setns",
    "io_uring",
    "userfaultfd",
    "limit of another process",
    "priority of another process",
    "CPUs of another process",
];

/// Runs in the child. A thread that runs already has to be locked in as well.
fn locked_in(name: &str) -> ! {
    let victim: i32 = std::env::var("LOCKDOWN_TEST_VICTIM")
        .unwrap()
        .parse()
        .unwrap();
    let (go, is_locked) = std::sync::mpsc::channel::<()>();
    let asked = name.to_owned();
    let earlier = std::thread::spawn(move || {
        is_locked.recv().unwrap();
        tried(&asked, victim)
    });
    drop_rights(Still {
        reads_others: true,
        opens_events_as_admin: std::env::var(PHASE).is_ok_and(|phase| phase == AS_ADMIN),
        ..Still::default()
    })
    .unwrap();
    let wanted = Lock {
        target: victim.cast_unsigned(),
        written: vec![std::io::stdout().as_raw_fd(), std::io::stderr().as_raw_fd()],
        phase: phase(),
    };
    lock(&wanted).unwrap();
    go.send(()).unwrap();
    let is_refused = tried(name, victim) && earlier.join().unwrap();
    std::process::exit(if is_refused { 0 } else { 9 });
}

fn phase() -> Phase {
    match std::env::var(PHASE).as_deref() {
        Ok("opening") => Phase::Opening,
        _ => Phase::Locked,
    }
}

fn tried(name: &str, victim: i32) -> bool {
    match name {
        "allowed" => what_sampling_does(victim),
        name => forbidden(name, victim) == Some(true),
    }
}

/// The actions that stay possible: reading the target and files, threads, memory, time, output.
fn what_sampling_does(victim: i32) -> bool {
    let mut seen = vec![0_u8; 1 << 20];
    let local = libc::iovec {
        iov_base: seen.as_mut_ptr().cast(),
        iov_len: 1,
    };
    // SAFETY: one byte of a local; an address where the other process has nothing.
    let read =
        unsafe { libc::process_vm_readv(victim, &raw const local, 1, &raw const local, 0, 0) };
    let thread = std::thread::spawn(|| {
        std::thread::sleep(std::time::Duration::from_millis(1));
        std::fs::read("/proc/self/maps").map(|maps| maps.len())
    });
    let maps = thread.join().unwrap().unwrap();
    let listed = std::fs::read_dir("/proc/self/task").unwrap().count();
    let sampled = changes_a_rate() && reads_the_number_of_an_event_of_switches();
    let counted = counts_in_a_group();
    // No line that a test runner would take for its own.
    eprintln!("read {maps} bytes, {listed} threads, {}", seen.len());
    read == 0 && maps > 0 && listed > 0 && sampled && counted
}

/// A sampling event of this thread, disabled and without the kernel; negative where there is none.
fn event(kind: u64, period: u64, flags: u64) -> i32 {
    const DISABLED_AND_WITHOUT_KERNEL: u64 = 1 | 1 << 5;
    const FORMAT_ID: u64 = 1 << 2;
    let flags = DISABLED_AND_WITHOUT_KERNEL | flags;
    software_event(kind, period, FORMAT_ID, (flags, -1))
}

/// An event of this thread in the group of `leader`; negative where there is none.
fn software_event(kind: u64, period: u64, format: u64, (flags, leader): (u64, i32)) -> i32 {
    const SOFTWARE: u64 = 1;
    const ATTRIBUTE_WORDS: usize = 14;
    let mut attributes = [0_u64; ATTRIBUTE_WORDS];
    attributes[0] = SOFTWARE | (8 * ATTRIBUTE_WORDS as u64) << 32;
    attributes[1] = kind;
    attributes[2] = period;
    attributes[4] = format;
    attributes[5] = flags;
    // SAFETY: the kernel reads the attributes, a local that outlives the call.
    let event = unsafe {
        libc::syscall(
            libc::SYS_perf_event_open,
            attributes.as_ptr(),
            0,
            -1,
            leader,
            8,
        )
    };
    i32::try_from(event).unwrap_or(-1)
}

/// Opens a sampling event of this thread, changes its period, and closes it.
fn changes_a_rate() -> bool {
    const CPU_CLOCK: u64 = 0;
    const PERIOD: libc::c_ulong = 0x4008_2404;
    let event = event(CPU_CLOCK, 1_000_000, 0);
    let period_ns = 2_000_000_u64;
    // SAFETY: the kernel reads the period, a local that outlives the call; the descriptor is new and ours alone.
    unsafe {
        event >= 0
            && libc::ioctl(event, PERIOD, &raw const period_ns) == 0
            && libc::close(event) == 0
    }
}

/// The events of switches need no other calls: they are opened as those of the clock are, and their number is read.
fn reads_the_number_of_an_event_of_switches() -> bool {
    const CONTEXT_SWITCHES: u64 = 3;
    const WITH_RECORDS: u64 = 1 << 26;
    let event = event(CONTEXT_SWITCHES, 1, WITH_RECORDS);
    let mut count_and_number = [0_u64; 2];
    // SAFETY: the kernel writes 16 bytes to a local of that length; the descriptor is new and ours alone.
    unsafe {
        event >= 0
            && libc::read(event, count_and_number.as_mut_ptr().cast(), 16) == 16
            && libc::close(event) == 0
            && count_and_number[1] > 0
    }
}

/// Events that count are opened one after the other, enabled by the first, and read together.
fn counts_in_a_group() -> bool {
    const MIGRATIONS: u64 = 4;
    const CONTEXT_SWITCHES: u64 = 3;
    const OF_GROUP: u64 = 1 | 1 << 1 | 1 << 3;
    const DISABLED: u64 = 1;
    const WITHOUT_KERNEL: u64 = 1 << 5;
    const ENABLE: libc::c_ulong = 0x2400;
    let leader = software_event(MIGRATIONS, 0, OF_GROUP, (DISABLED | WITHOUT_KERNEL, -1));
    let other = software_event(CONTEXT_SWITCHES, 0, OF_GROUP, (WITHOUT_KERNEL, leader));
    let mut words = [0_u64; 5];
    // SAFETY: the kernel writes 40 bytes to a local of that length; the descriptors are new and ours alone.
    unsafe {
        leader >= 0
            && other >= 0
            && libc::ioctl(leader, ENABLE, 0) == 0
            && libc::read(leader, words.as_mut_ptr().cast(), 40) == 40
            && libc::close(other) == 0
            && libc::close(leader) == 0
            && words[0] == 2
    }
}

fn outcome(name: &str, phase: &str, victim: u32) -> std::process::Output {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "from_inside", "--nocapture", "--test-threads=1"])
        .env(WHICH, name)
        .env(PHASE, phase)
        .env("LOCKDOWN_TEST_VICTIM", victim.to_string())
        .output()
        .unwrap()
}

#[test]
fn from_inside() {
    if let Ok(name) = std::env::var(WHICH) {
        locked_in(&name);
    }
}

#[test]
fn each_forbidden_call_is_refused_and_what_sampling_does_is_not() {
    if std::env::var(WHICH).is_ok() {
        return;
    }
    let mut victim = Command::new("sleep").arg("600").spawn().unwrap();
    let while_opening = TRIES.iter().filter(|name| !NEEDED_TO_OPEN.contains(name));
    let tries = TRIES
        .iter()
        .chain(&["allowed"])
        .map(|name| (name, "locked"));
    // CAP_SYS_ADMIN, where a kernel requires it of root, gains nothing.
    let as_admin = TRIES
        .iter()
        .chain(&["allowed"])
        .map(|name| (name, AS_ADMIN));
    let tries = tries.chain(as_admin).chain(
        while_opening
            .chain(&["allowed"])
            .map(|name| (name, "opening")),
    );
    let wrong: Vec<String> = tries
        .filter_map(|(name, phase)| {
            let output = outcome(name, phase, victim.id());
            let (messages, status) = (String::from_utf8_lossy(&output.stderr), output.status);
            (status.code() != Some(0)).then(|| format!("{name}, {phase}: {status} {messages}"))
        })
        .collect();
    let lives = victim.try_wait().unwrap().is_none();
    victim.kill().unwrap();
    victim.wait().unwrap();
    assert!(lives, "the victim is dead");
    assert!(wrong.is_empty(), "not refused: {wrong:#?}");
}
