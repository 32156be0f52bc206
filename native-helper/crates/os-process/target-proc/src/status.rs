//! `/proc/PID/status` and the start time in `/proc/PID/stat`.

use std::time::Duration;

use crate::error::ProcError;
pub use crate::error::StatusError;
use crate::proc_fs::ProcFs;
use crate::stat_fields::{FIRST_FIELD_AFTER_NAME, fields_after_name};

const MAX_STATUS_BYTES: u64 = 1 << 20;
const MAX_STAT_BYTES: u64 = 64 << 10;

/// Real, effective and saved user or group ids.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ids {
    /// The id of the user or group that started it.
    pub real: u32,
    /// The id with which it acts.
    pub effective: u32,
    /// The id that it may take.
    pub saved: u32,
}

/// The seccomp state of a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Seccomp {
    /// None.
    Disabled,
    /// Only read, write and exit.
    Strict,
    /// A filter program.
    Filter,
    /// The kernel does not report it, or reports an unknown state.
    Unknown,
}

/// The lines of `status` that matter for attaching.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Status {
    /// `comm` of the main thread, at most 15 bytes.
    pub name: String,
    /// One letter: `R`unning, `S`leeping, `D`isk sleep, s`T`opped, `t`raced, `Z`ombie, `X` dead.
    pub state: char,
    /// User ids.
    pub uids: Ids,
    /// Group ids.
    pub gids: Ids,
    /// Supplementary groups.
    pub groups: Vec<u32>,
    /// The process id in each pid namespace, this process's first; more than one means a container.
    pub namespace_pids: Vec<u32>,
    /// Number of threads.
    pub threads: u32,
    /// Effective capabilities, one bit each (bit 38 is `CAP_PERFMON`).
    pub effective_capabilities: u64,
    /// Seccomp mode.
    pub seccomp: Seccomp,
    /// Its parent; 0 when that is outside of our pid namespace.
    pub parent_pid: u32,
    /// Process that traces it (a debugger); 0 when none.
    pub tracer_pid: u32,
}

impl Status {
    /// Ended but not yet collected by its parent: it has no memory and no code any more.
    #[must_use]
    pub fn is_zombie(&self) -> bool {
        matches!(self.state, 'Z' | 'X')
    }
}

/// Parses the text of `/proc/PID/status`.
///
/// # Errors
/// When a line every supported kernel prints is missing or strange.
pub fn parse_status(text: &[u8]) -> Result<Status, StatusError> {
    let text = String::from_utf8_lossy(text);
    let value = |key: &'static str| {
        text.lines().find_map(|line| {
            let (name, value) = line.split_once(':')?;
            (name == key).then(|| value.trim())
        })
    };
    let required = |key| value(key).ok_or(StatusError::Missing(key));
    let state = required("State")?
        .chars()
        .next()
        .ok_or(StatusError::BadValue("State"))?;
    Ok(Status {
        name: required("Name")?.to_owned(),
        state,
        uids: parse_ids(required("Uid")?).ok_or(StatusError::BadValue("Uid"))?,
        gids: parse_ids(required("Gid")?).ok_or(StatusError::BadValue("Gid"))?,
        groups: value("Groups").map(numbers).unwrap_or_default(),
        namespace_pids: value("NSpid").map(numbers).unwrap_or_default(),
        threads: number("Threads", required("Threads")?)?,
        effective_capabilities: u64::from_str_radix(required("CapEff")?, 16)
            .map_err(|_| StatusError::BadValue("CapEff"))?,
        // Absent on kernels built without seccomp.
        seccomp: match value("Seccomp") {
            Some("0") => Seccomp::Disabled,
            Some("1") => Seccomp::Strict,
            Some("2") => Seccomp::Filter,
            _ => Seccomp::Unknown,
        },
        parent_pid: value("PPid")
            .and_then(|pid| pid.parse().ok())
            .unwrap_or_default(),
        tracer_pid: number("TracerPid", required("TracerPid")?)?,
    })
}

fn numbers(value: &str) -> Vec<u32> {
    let words = value.split_ascii_whitespace();
    words.filter_map(|word| word.parse().ok()).collect()
}

fn number(key: &'static str, digits: &str) -> Result<u32, StatusError> {
    digits.parse().map_err(|_| StatusError::BadValue(key))
}

/// The user ids of the text of `/proc/PID/status`.
pub(crate) fn parse_ids_of_status(text: &str) -> Option<Ids> {
    let mut lines = text.lines();
    parse_ids(lines.find_map(|line| line.strip_prefix("Uid:"))?)
}

fn parse_ids(value: &str) -> Option<Ids> {
    let mut ids = value.split_ascii_whitespace().map(|id| id.parse().ok());
    Some(Ids {
        real: ids.next()??,
        effective: ids.next()??,
        saved: ids.next()??,
    })
}

/// The start time in the text of `/proc/PID/stat`: clock ticks (of 10 ms) after boot.
///
/// The second field is the name in parentheses and may hold anything, parentheses and newlines
/// included, so fields are counted from the last `)`.
#[must_use]
pub fn parse_start_ticks(stat: &[u8]) -> Option<u64> {
    const START_TIME_FIELD: usize = 22;
    fields_after_name(stat)?
        .nth(START_TIME_FIELD - FIRST_FIELD_AFTER_NAME)?
        .parse()
        .ok()
}

impl ProcFs {
    /// Status of a process.
    ///
    /// # Errors
    /// No such process, not permitted, or a text no kernel prints.
    pub fn status(&self, pid: u32) -> Result<Status, ProcError> {
        let text = self.read(pid, "status", MAX_STATUS_BYTES)?;
        parse_status(&text).map_err(|source| ProcError::Status { pid, source })
    }

    /// The process that a thread belongs to; `None` for the id of a process, and for an unused id.
    #[must_use]
    pub fn process_of_thread(&self, tid: u32) -> Option<u32> {
        let text = self.read(tid, "status", MAX_STATUS_BYTES).ok()?;
        let text = String::from_utf8_lossy(&text);
        let group = text.lines().find_map(|line| line.strip_prefix("Tgid:"))?;
        let pid = group.trim().parse().ok()?;
        (pid != tid).then_some(pid)
    }

    /// When a process started, clock ticks (of 10 ms) after boot. Together with the pid this
    /// names one process for as long as the machine is up.
    ///
    /// # Errors
    /// No such process, or a text no kernel prints.
    pub fn start_ticks(&self, pid: u32) -> Result<u64, ProcError> {
        let text = self.read(pid, "stat", MAX_STAT_BYTES)?;
        parse_start_ticks(&text).ok_or(ProcError::NoStartTime { pid })
    }
}

/// The first number in the text of `/proc/uptime`: seconds since boot.
#[must_use]
pub fn parse_uptime(text: &[u8]) -> Option<Duration> {
    let text = str::from_utf8(text).ok()?;
    let seconds: f64 = text.split_ascii_whitespace().next()?.parse().ok()?;
    Duration::try_from_secs_f64(seconds).ok()
}

impl ProcFs {
    /// When a thread started, as [`ProcFs::start_ticks`]; `None` when it is gone.
    #[must_use]
    pub fn thread_start_ticks(&self, pid: u32, tid: u32) -> Option<u64> {
        let text = self.read(pid, &format!("task/{tid}/stat"), MAX_STAT_BYTES);
        parse_start_ticks(&text.ok()?)
    }

    /// How long the machine, or the time namespace, has been up.
    #[must_use]
    pub fn uptime(&self) -> Option<Duration> {
        parse_uptime(&std::fs::read(self.root().join("uptime")).ok()?)
    }

    /// How long ago something started, see [`ProcFs::start_ticks`].
    #[must_use]
    pub fn age_since(&self, start_ticks: u64) -> Option<Duration> {
        // Clock ticks are 10 ms long, whatever the kernel's own are.
        let started = Duration::from_millis(start_ticks.saturating_mul(10));
        Some(self.uptime()?.saturating_sub(started))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const TEXT: &str = "Name:\tbeam.smp\nUmask:\t0022\nState:\tS (sleeping)\nTgid:\t4242\n\
        PPid:\t41\nTracerPid:\t0\nUid:\t103\t104\t105\t103\nGid:\t1\t2\t3\t1\nGroups:\t4 27 1000 \nNSpid:\t4242\t17\nThreads:\t25\n\
        CapEff:\t000001ffffffffff\nSeccomp:\t2\n";

    #[test]
    fn a_thread_names_its_process_and_a_process_none() {
        let live = ProcFs::live();
        let own = std::process::id();
        let (to_us, tid) = std::sync::mpsc::channel();
        let (end, ended) = std::sync::mpsc::channel::<()>();
        let thread = std::thread::spawn(move || {
            to_us
                .send(rustix::thread::gettid().as_raw_nonzero().get())
                .unwrap();
            let _ = ended.recv();
        });
        let tid = u32::try_from(tid.recv().unwrap()).unwrap();
        assert_eq!(live.process_of_thread(tid), Some(own));
        assert_eq!(live.process_of_thread(own), None);
        assert_eq!(live.process_of_thread(u32::MAX), None);
        drop(end);
        thread.join().unwrap();
    }

    #[test]
    fn reads_the_lines_that_matter() {
        let status = parse_status(TEXT.as_bytes()).unwrap();
        assert_eq!(status.name, "beam.smp");
        assert_eq!(status.state, 'S');
        assert_eq!(
            status.uids,
            Ids {
                real: 103,
                effective: 104,
                saved: 105
            }
        );
        assert_eq!(
            status.gids,
            Ids {
                real: 1,
                effective: 2,
                saved: 3
            }
        );
        assert_eq!(status.groups, [4, 27, 1000]);
        assert_eq!(status.namespace_pids, [4242, 17]);
        assert_eq!(status.parent_pid, 41);
        assert_eq!(status.threads, 25);
        assert_eq!(status.effective_capabilities, 0x1ff_ffff_ffff);
        assert_eq!(status.seccomp, Seccomp::Filter);
        assert!(!status.is_zombie());
    }

    #[test]
    fn missing_and_strange_fields_are_reported() {
        let without_uid = TEXT.replace("Uid:", "Uxd:");
        assert_eq!(
            parse_status(without_uid.as_bytes()),
            Err(StatusError::Missing("Uid"))
        );
        let bad = TEXT.replace("25", "-25");
        assert_eq!(
            parse_status(bad.as_bytes()),
            Err(StatusError::BadValue("Threads"))
        );
    }

    #[test]
    fn start_time_survives_a_hostile_name() {
        let fields: Vec<String> = (4..=30).map(|field| field.to_string()).collect();
        let stat = format!("77 (a) R ) \n(b) S {}", fields.join(" "));
        assert_eq!(parse_start_ticks(stat.as_bytes()), Some(22));
        assert_eq!(parse_start_ticks(b"77 (a) S 1 2"), None);
        assert_eq!(parse_start_ticks(b""), None);
    }

    #[test]
    fn reads_its_own_process() {
        let pid = std::process::id();
        let status = ProcFs::live().status(pid).unwrap();
        assert!(status.threads >= 1);
        assert_eq!(status.namespace_pids.first(), Some(&pid));
        assert!(ProcFs::live().start_ticks(pid).unwrap() > 0);
    }

    #[test]
    fn no_such_process_is_an_error_of_its_own() {
        let gone = ProcFs::live().status(u32::MAX);
        assert!(matches!(
            gone,
            Err(ProcError::NoSuchProcess { pid: u32::MAX })
        ));
    }

    #[test]
    fn uptime_is_in_seconds_and_no_older_than_its_threads() {
        let uptime = parse_uptime(b"36871.46 61211.75\n").unwrap();
        assert_eq!(uptime, Duration::from_millis(36_871_460));
        for wrong in [&b""[..], b"x 1", b"-5 1", b"NaN", b"1e300"] {
            assert_eq!(parse_uptime(wrong), None);
        }
        let (fs, pid) = (ProcFs::live(), std::process::id());
        let started = fs.thread_start_ticks(pid, pid).unwrap();
        assert_eq!(started, fs.start_ticks(pid).unwrap());
        let age = fs.uptime().unwrap().as_millis() as i128 - i128::from(started) * 10;
        assert!((-20..600_000).contains(&age), "{age} ms");
        assert_eq!(fs.thread_start_ticks(pid, u32::MAX), None);
    }

    proptest! {
        #[test]
        fn garbage_never_panics(text in proptest::collection::vec(any::<u8>(), 0..512)) {
            let _ = parse_status(&text);
            let _ = parse_start_ticks(&text);
            let _ = parse_uptime(&text);
        }

        #[test]
        fn damaged_text_never_panics(at in 0..TEXT.len(), byte in any::<u8>()) {
            let mut text = TEXT.as_bytes().to_vec();
            text[at] = byte;
            let _ = parse_status(&text);
        }
    }
}
