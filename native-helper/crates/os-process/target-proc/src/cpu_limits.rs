//! What keeps a process from the processors that it could use: the quotas of its control groups (versions 1 and 2), time
//! that a hypervisor took, and threads that wait for a processor (pressure).
//!
//! A process has the quota of each group that it is in, up to the root of the tree; the tightest one binds. A reader in
//! a container may see its own part of the tree only. Unreadable values are not known, which is not the same as no
//! quota.

use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::path::{Component, Path, PathBuf};

use crate::affinity::Affinity;
use crate::proc_fs::ProcFs;

const MAX_CGROUP_BYTES: u64 = 64 << 10;
const MAX_MOUNTS_BYTES: u64 = 1 << 20;
const MAX_FILE_BYTES: u64 = 16 << 10;
/// More than trees of container managers are deep. Groups around so many are not in sight.
const MAX_GROUPS: usize = 64;
/// The kernel counts time in `/proc/stat` in such parts of a second, on each machine.
const TICK_MS: u64 = 10;

/// Counters and limits at one moment. `None`: not known.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CpuLimits {
    /// The control groups with a quota.
    pub groups: Option<QuotaGroups>,
    /// Time that a hypervisor gave to others while there was work, of all processors, milliseconds.
    pub stolen_ms: Option<u64>,
    /// Time in which a thread of the machine waited for a processor, microseconds.
    pub pressure_us: Option<u64>,
    /// The same of threads of the process's own control group.
    pub group_pressure_us: Option<u64>,
    /// Where it may run.
    pub affinity: Option<Affinity>,
}

/// The control groups of a process that have a quota, its own one first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct QuotaGroups {
    /// The folder of its own one. The others are around that.
    pub own: PathBuf,
    /// Those that have one, or had one.
    pub limited: Vec<QuotaGroup>,
    /// Whether the whole tree is in sight. If it is not, a group around these may have a quota, too.
    pub reach_root: bool,
}

/// A control group with a quota.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QuotaGroup {
    /// Its folder.
    pub folder: PathBuf,
    /// Its quota, the tightest one that it had.
    pub quota: Quota,
    /// Its counters; `None`: not known.
    pub counts: Option<QuotaCounts>,
}

/// Processor time that a group may use in each period.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Quota {
    /// Time, microseconds.
    pub quota_us: u64,
    /// Period, microseconds; never 0.
    pub period_us: u64,
}

impl Quota {
    /// As many processors all the time give the same time.
    #[must_use]
    pub fn processors(&self) -> f64 {
        self.quota_us as f64 / self.period_us as f64
    }

    fn is_tighter(self, other: Self) -> bool {
        self.processors() < other.processors()
    }
}

/// What a group has counted since it was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct QuotaCounts {
    /// Periods in which it ran.
    pub periods: u64,
    /// Periods in which it was throttled.
    pub throttled_periods: u64,
    /// How long it was, of all processors, microseconds.
    pub throttled_us: u64,
}

/// A hierarchy of control groups with the controller of processors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Version {
    One,
    Two,
}

/// The quota in the text of `cpu.max`; `Some(None)` without a quota, `None` for an invalid text.
#[must_use]
pub fn parse_cpu_max(text: &str) -> Option<Option<Quota>> {
    let mut fields = text.split_ascii_whitespace();
    let (quota, period) = (fields.next()?, fields.next()?.parse().ok()?);
    if quota == "max" {
        return Some(None);
    }
    Some(Some(quota_of(quota.parse().ok()?, period)?))
}

fn quota_of(quota_us: u64, period_us: u64) -> Option<Quota> {
    (period_us > 0).then_some(Quota {
        quota_us,
        period_us,
    })
}

/// The counters in the text of `cpu.stat`, of either version; `None` where one is missing.
#[must_use]
pub fn parse_cpu_stat(text: &str) -> Option<QuotaCounts> {
    let count = |name: &str| -> Option<u64> {
        let mut lines = text.lines();
        lines.find_map(|line| line.strip_prefix(name)?.strip_prefix(' ')?.parse().ok())
    };
    Some(QuotaCounts {
        periods: count("nr_periods")?,
        throttled_periods: count("nr_throttled")?,
        // Version 1 has nanoseconds.
        throttled_us: count("throttled_usec")
            .or_else(|| count("throttled_time").map(|nanoseconds| nanoseconds / 1000))?,
    })
}

/// The time in a text of `pressure`, microseconds: that in which some thread waited.
#[must_use]
pub fn parse_pressure_us(text: &str) -> Option<u64> {
    let some = text.lines().find_map(|line| line.strip_prefix("some "))?;
    let mut fields = some.split_ascii_whitespace();
    fields.find_map(|field| field.strip_prefix("total=")?.parse().ok())
}

/// The time in the text of `/proc/stat` that a hypervisor took, milliseconds.
#[must_use]
pub fn parse_stolen_ms(text: &str) -> Option<u64> {
    const STEAL: usize = 7;
    let all = text.lines().find_map(|line| line.strip_prefix("cpu "))?;
    let ticks: u64 = all.split_ascii_whitespace().nth(STEAL)?.parse().ok()?;
    ticks.checked_mul(TICK_MS)
}

/// A mounted tree of control groups.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Tree {
    version: Version,
    /// The group that the mount shows as its root.
    root: PathBuf,
    mounted_at: PathBuf,
}

/// The trees in the text of `mountinfo` that can have the controller of processors.
fn trees(mountinfo: &str) -> Vec<Tree> {
    let tree = |line: &str| {
        let (mount, file_system) = line.split_once(" - ")?;
        let mut mount = mount.split(' ').skip(3);
        let (root, mounted_at) = (mount.next()?, mount.next()?);
        let mut file_system = file_system.split(' ');
        let version = match (file_system.next()?, file_system.nth(1)?) {
            ("cgroup", options) if options.split(',').any(|it| it == "cpu") => Version::One,
            ("cgroup2", _) => Version::Two,
            _ => return None,
        };
        Some(Tree {
            version,
            root: PathBuf::from(unescaped(root)),
            mounted_at: PathBuf::from(unescaped(mounted_at)),
        })
    };
    mountinfo.lines().filter_map(tree).collect()
}

/// Spaces and the like are octal numbers in `mountinfo`.
fn unescaped(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('\\') {
        out.push_str(before);
        let digits = after.get(..3).unwrap_or_default();
        match u8::from_str_radix(digits, 8) {
            Ok(byte) if byte.is_ascii() => {
                out.push(char::from(byte));
                rest = after.get(3..).unwrap_or_default();
            }
            _ => {
                out.push('\\');
                rest = after;
            }
        }
    }
    out.push_str(rest);
    out
}

/// The path of the group in the text of `/proc/PID/cgroup`.
fn path_in(groups: &str, version: Version) -> Option<&str> {
    groups.lines().find_map(|line| {
        let (controllers, path) = line.split_once(':')?.1.split_once(':')?;
        let is_it = match version {
            Version::One => controllers.split(',').any(|it| it == "cpu"),
            Version::Two => controllers.is_empty(),
        };
        is_it.then_some(path)
    })
}

impl Tree {
    /// The folder of a group; `None` where it is not in sight.
    fn folder(&self, path: &str) -> Option<PathBuf> {
        let below = Path::new(path).strip_prefix(&self.root).ok()?;
        // A group outside of our own namespace of control groups begins with `..`; so does the root of a mount of these.
        if below.components().any(|it| it == Component::ParentDir) {
            return None;
        }
        let folder = self.mounted_at.join(below);
        // Where something else is mounted over the tree, or the group is gone, this file is missing.
        let is_group = folder.join("cgroup.procs").try_exists().ok()?;
        is_group.then_some(folder)
    }

    /// Whether the mount shows the whole tree: its root alone has, or lacks, these files.
    fn shows_root(&self) -> bool {
        let has = |file: &str| self.mounted_at.join(file).try_exists().ok();
        match self.version {
            Version::One => has("release_agent") == Some(true),
            Version::Two => has("cgroup.events") == Some(false),
        }
    }

    /// `Some(None)` without a quota, `None` where that is not known.
    fn quota_in(&self, folder: &Path) -> Option<Option<Quota>> {
        match self.version {
            Version::One => {
                let Some(quota) = start_of(&folder.join("cpu.cfs_quota_us")).ok()? else {
                    return Some(None);
                };
                if quota.trim() == "-1" {
                    return Some(None);
                }
                let period = start_of(&folder.join("cpu.cfs_period_us")).ok()??;
                let number = |text: &str| text.trim().parse().ok();
                Some(Some(quota_of(number(&quota)?, number(&period)?)?))
            }
            Version::Two => match start_of(&folder.join("cpu.max")).ok()? {
                Some(text) => parse_cpu_max(&text),
                None => Some(None),
            },
        }
    }
}

/// `None` without such a file: the root has no quota, nor has a group to which the controller is not given.
fn start_of(file: &Path) -> io::Result<Option<String>> {
    let opened = match File::open(file) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        opened => opened?,
    };
    let mut text = String::new();
    opened.take(MAX_FILE_BYTES).read_to_string(&mut text)?;
    Ok(Some(text))
}

fn pressure_in(folder: &Path) -> Option<u64> {
    parse_pressure_us(&start_of(&folder.join("cpu.pressure")).ok()??)
}

fn counts_in(folder: &Path) -> Option<QuotaCounts> {
    parse_cpu_stat(&start_of(&folder.join("cpu.stat")).ok()??)
}

impl QuotaGroups {
    /// The same groups with their counts of now, of a process that may have ended since.
    #[must_use]
    pub fn counted_again(&self) -> Self {
        let again = |group: &QuotaGroup| QuotaGroup {
            counts: group.counts.and_then(|_| counts_in(&group.folder)),
            ..group.clone()
        };
        Self {
            limited: self.limited.iter().map(again).collect(),
            ..self.clone()
        }
    }

    /// These with the quotas that there were by `earlier`: of a group the tighter one, also where the group has none any
    /// more. Counts of a group that the process has left are not of its time alone, so they are not known; of those
    /// groups, the tightest one stands for all.
    fn since(mut self, earlier: &Self) -> Self {
        let mut left: Option<QuotaGroup> = None;
        for group in &earlier.limited {
            let by_now = self.limited.iter_mut().find(|it| it.folder == group.folder);
            if let Some(by_now) = by_now {
                if group.quota.is_tighter(by_now.quota) {
                    by_now.quota = group.quota;
                }
                by_now.counts = by_now.counts.filter(|_| group.counts.is_some());
            } else if self.own.starts_with(&group.folder) {
                self.limited.push(QuotaGroup {
                    counts: group.counts.and_then(|_| counts_in(&group.folder)),
                    ..group.clone()
                });
            } else if (left.as_ref()).is_none_or(|left| group.quota.is_tighter(left.quota)) {
                left = Some(QuotaGroup {
                    counts: None,
                    ..group.clone()
                });
            }
        }
        self.limited.extend(left);
        self
    }
}

impl CpuLimits {
    /// These limits with the quotas that there were by `earlier`, also where they were lifted, and with the fewest processors
    /// of both.
    #[must_use]
    pub fn since(self, earlier: &Self) -> Self {
        let groups = match (self.groups, &earlier.groups) {
            (Some(now), Some(before)) => Some(now.since(before)),
            (now, _) => now,
        };
        let both = [self.affinity, earlier.affinity].into_iter().flatten();
        Self {
            groups,
            affinity: both.min_by_key(|it| it.allowed),
            ..self
        }
    }
}

impl ProcFs {
    /// What limits a process now. It needs no right: the process may have chosen the name of its control group.
    #[must_use]
    pub fn cpu_limits(&self, pid: u32) -> CpuLimits {
        CpuLimits {
            affinity: self.affinity(pid),
            ..self.quota_limits(pid)
        }
    }

    /// The same without [`CpuLimits::affinity`]: where a process may run may take a look at each of its threads.
    #[must_use]
    pub fn quota_limits(&self, pid: u32) -> CpuLimits {
        let text = |file: &str, limit| {
            let bytes = self.read_top(file, limit)?;
            Some(String::from_utf8_lossy(&bytes).into_owned())
        };
        let mut limits = CpuLimits {
            groups: None,
            stolen_ms: text("stat", MAX_FILE_BYTES).and_then(|it| parse_stolen_ms(&it)),
            pressure_us: text("pressure/cpu", MAX_FILE_BYTES).and_then(|it| parse_pressure_us(&it)),
            group_pressure_us: None,
            affinity: None,
        };
        let Some(mounts) = text("self/mountinfo", MAX_MOUNTS_BYTES) else {
            return limits;
        };
        let Ok(groups) = self.read(pid, "cgroup", MAX_CGROUP_BYTES) else {
            return limits;
        };
        // A process that has ended is shown in the root of a tree of version 1.
        if !self.status(pid).is_ok_and(|status| !status.is_zombie()) {
            return limits;
        }
        let groups = String::from_utf8_lossy(&groups);
        // With both versions side by side, the process has a group of the version 1 that has processors, if one has.
        let version = match path_in(&groups, Version::One) {
            Some(_) => Version::One,
            None => Version::Two,
        };
        for tree in trees(&mounts) {
            let path = path_in(&groups, tree.version);
            let Some(folder) = path.and_then(|path| tree.folder(path)) else {
                continue;
            };
            // The pressure of the root is the machine's.
            let is_root = folder == tree.mounted_at && tree.shows_root();
            if tree.version == Version::Two && !is_root {
                limits.group_pressure_us = pressure_in(&folder);
            }
            // A tree may be mounted in several places, as a whole and in parts.
            let found = (tree.version == version).then(|| quota_groups(&tree, &folder));
            let is_better = (limits.groups.as_ref()).is_none_or(|groups| !groups.reach_root);
            if let Some(found) = found.flatten().filter(|_| is_better) {
                limits.groups = Some(found);
            }
        }
        limits
    }
}

/// `None` where one of the groups cannot be read: its quota could be the tightest.
fn quota_groups(tree: &Tree, folder: &Path) -> Option<QuotaGroups> {
    let around = folder.ancestors();
    let around = around.take_while(|it| it.starts_with(&tree.mounted_at));
    let around: Vec<&Path> = around.take(MAX_GROUPS + 1).collect();
    let mut limited = Vec::new();
    for folder in around.iter().take(MAX_GROUPS) {
        if let Some(quota) = tree.quota_in(folder)? {
            limited.push(QuotaGroup {
                folder: folder.to_path_buf(),
                quota,
                counts: counts_in(folder),
            });
        }
    }
    Some(QuotaGroups {
        own: folder.to_path_buf(),
        limited,
        reach_root: tree.shows_root() && around.len() <= MAX_GROUPS,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::fs;

    // Read on Linux 6.18: a group of version 2 with `echo "20000 100000" > cpu.max` and two busy loops in it, and
    // one of version 1 with a quota of 50000.
    const STAT_2: &str = "usage_usec 812345\nuser_usec 801000\nsystem_usec 11345\nnice_usec 0\n\
        core_sched.force_idle_usec 0\nnr_periods 42\nnr_throttled 40\nthrottled_usec 7012345\nnr_bursts 0\n\
        burst_usec 0\n";
    const STAT_1: &str =
        "nr_periods 21\nnr_throttled 20\nthrottled_time 1508000123\nnr_bursts 0\nburst_time 0\n";
    const PRESSURE: &str = "some avg10=42.02 avg60=54.77 avg300=41.92 total=7165715693\n\
        full avg10=0.00 avg60=0.00 avg300=0.00 total=5\n";

    #[test]
    fn texts_of_the_kernel_are_read() {
        let quota = Quota {
            quota_us: 20_000,
            period_us: 100_000,
        };
        assert_eq!(parse_cpu_max("20000 100000\n"), Some(Some(quota)));
        assert!((quota.processors() - 0.2).abs() < 1e-9);
        assert_eq!(parse_cpu_max("max 100000\n"), Some(None));
        let counts = |periods, throttled_periods, throttled_us| {
            Some(QuotaCounts {
                periods,
                throttled_periods,
                throttled_us,
            })
        };
        assert_eq!(parse_cpu_stat(STAT_2), counts(42, 40, 7_012_345));
        assert_eq!(parse_cpu_stat(STAT_1), counts(21, 20, 1_508_000));
        assert_eq!(parse_pressure_us(PRESSURE), Some(7_165_715_693));
        let stat =
            "cpu  1253863 297907 274676 858494 6119 0 1948 961 0 0\ncpu0 1 2 3 4 5 6 7 8 9 10\n";
        assert_eq!(parse_stolen_ms(stat), Some(9610));
    }

    #[test]
    fn other_texts_are_not() {
        for text in [
            "",
            "max",
            "20000",
            "20000 0",
            "-1 100000",
            "1e9 100000",
            "99999999999999999999999 1",
        ] {
            assert_eq!(parse_cpu_max(text), None, "{text}");
        }
        for text in [
            "",
            "nr_periods",
            "nr_periods -1",
            "nr_periodsx 4\nnr_throttled 1 2",
            "nr_periods 4\nnr_throttled 1\nthrottled_time x\n",
            "usage_usec 5\nuser_usec 5\n",
        ] {
            assert_eq!(parse_cpu_stat(text), None, "{text}");
        }
        for text in ["", "full total=3", "some avg10=1", "some total=x"] {
            assert_eq!(parse_pressure_us(text), None, "{text}");
        }
        // Before Linux 2.6.11, and a number that is none in milliseconds.
        for text in [
            "cpu 1 2 3 4 5 6 7\n",
            "cpu 1 2 3 4 5 6 7 18446744073709551615\n",
        ] {
            assert_eq!(parse_stolen_ms(text), None, "{text}");
        }
    }

    /// A machine with one process, 10; removed when dropped.
    struct Machine(PathBuf);

    impl Machine {
        /// `mounts`: root of the mount, its place, the type, its options.
        fn new(name: &str, groups: &str, mounts: &[(&str, &str, &str, &str)]) -> Self {
            let machine =
                Self(std::env::temp_dir().join(format!("cpu-{name}-{}", std::process::id())));
            let line = |(root, at, kind, options): &(&str, &str, &str, &str)| {
                let at = machine.0.join(at);
                format!(
                    "32 31 0:29 {root} {} rw,relatime shared:9 - {kind} cgroup {options}\n",
                    at.display()
                )
            };
            let mounts: String = mounts.iter().map(line).collect();
            machine.write(
                "proc/self/mountinfo",
                &format!("22 1 8:1 / / rw - ext4 /dev/sda rw\n{mounts}"),
            );
            machine.write("proc/10/cgroup", groups);
            machine.state("S");
            machine.write("proc/pressure/cpu", PRESSURE);
            machine
        }

        fn write(&self, file: &str, text: &str) {
            let file = self.0.join(file);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, text).unwrap();
        }

        fn group(&self, folder: &str) {
            self.write(&format!("{folder}/cgroup.procs"), "");
        }

        fn state(&self, state: &str) {
            let status = format!(
                "Name:\tbeam.smp\nState:\t{state}\nTgid:\t10\nPPid:\t1\nTracerPid:\t0\n\
                 Uid:\t1\t1\t1\t1\nGid:\t1\t1\t1\t1\nGroups:\t1\nNSpid:\t10\nThreads:\t2\n\
                 CapEff:\t0\nSeccomp:\t0\n"
            );
            self.write("proc/10/status", &status);
        }

        fn limits(&self) -> CpuLimits {
            ProcFs::at(self.0.join("proc")).cpu_limits(10)
        }

        /// Quotas in hundredths of a processor, and whether the root is in sight.
        fn quotas(&self) -> Option<(Vec<u64>, bool)> {
            let groups = self.limits().groups?;
            let hundredths = |it: &QuotaGroup| (it.quota.processors() * 100.0).round() as u64;
            Some((
                groups.limited.iter().map(hundredths).collect(),
                groups.reach_root,
            ))
        }
    }

    impl Drop for Machine {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    const MOUNTED_2: (&str, &str, &str, &str) = ("/", "cg", "cgroup2", "rw");

    #[test]
    fn all_groups_of_version_2_up_to_the_root_count() {
        let machine = Machine::new("v2", "0::/pod/vm\n", &[MOUNTED_2]);
        machine.group("cg/pod/vm");
        machine.write("cg/pod/vm/cpu.max", "max 100000\n");
        machine.write("cg/pod/vm/cpu.pressure", "some avg10=0.00 total=77\n");
        machine.write("cg/pod/cpu.max", "50000 100000\n");
        machine.write("cg/pod/cpu.stat", STAT_2);
        let limits = machine.limits();
        assert_eq!(
            (limits.pressure_us, limits.group_pressure_us),
            (Some(7_165_715_693), Some(77))
        );
        assert_eq!(limits.stolen_ms, None);
        let groups = limits.groups.unwrap();
        let [pod] = &groups.limited[..] else {
            panic!("only one of them has a quota");
        };
        machine.write("cg/cpu.pressure", PRESSURE);
        machine.write("proc/10/cgroup", "0::/\n");
        assert_eq!(machine.limits().group_pressure_us, None);
        machine.write("proc/10/cgroup", "0::/pod/vm\n");
        assert_eq!(pod.counts.unwrap().throttled_periods, 40);
        machine.write("cg/pod/cpu.stat", "nr_periods 42\n");
        assert_eq!(groups.counted_again().limited[0].counts, None);
        assert_eq!(machine.quotas(), Some((vec![50], true)));
        // In a container the namespace ends with its own group, which is no root.
        machine.write("cg/cgroup.events", "populated 1\n");
        assert_eq!(machine.quotas(), Some((vec![50], false)));
        // One that cannot be read could be the tightest.
        machine.write("cg/pod/vm/cpu.max", "half of one\n");
        assert_eq!(machine.quotas(), None);
    }

    #[test]
    fn a_look_at_quotas_alone_keeps_the_processors_of_an_earlier_one() {
        let machine = Machine::new("quotas", "0::/vm\n", &[MOUNTED_2]);
        machine.group("cg/vm");
        machine.write("cg/vm/cpu.max", "30000 100000\n");
        machine.write("sys/devices/system/cpu/online", "0-3\n");
        let status = machine.0.join("proc/10/status");
        let text = fs::read_to_string(&status).unwrap() + "Cpus_allowed_list:\t0-1\n";
        machine.write("proc/10/status", &text);
        machine.write("proc/10/task/10/status", &text);
        let all = machine.limits();
        assert_eq!(all.affinity.map(|it| (it.allowed, it.online)), Some((2, 4)));
        let quotas = ProcFs::at(machine.0.join("proc")).quota_limits(10);
        let without = CpuLimits {
            affinity: None,
            ..all.clone()
        };
        assert_eq!(quotas, without);
        assert_eq!(quotas.since(&all).affinity, all.affinity);
    }

    #[test]
    fn a_quota_that_is_lifted_or_whose_group_is_left_was_there() {
        let machine = Machine::new("lifted", "0::/pod/vm\n", &[MOUNTED_2]);
        machine.group("cg/pod/vm");
        machine.group("cg/elsewhere");
        machine.write("cg/pod/vm/cpu.max", "30000 100000\n");
        machine.write("cg/pod/vm/cpu.stat", STAT_2);
        machine.write("cg/pod/cpu.max", "200000 100000\n");
        machine.write("cg/pod/cpu.stat", STAT_2);
        let before = machine.limits();
        let by_now = |earlier: &CpuLimits| {
            let limited = machine.limits().since(earlier).groups.unwrap().limited;
            let limits = limited.into_iter().map(|it| {
                let processors = it.quota.processors();
                (processors, it.counts.map(|counts| counts.throttled_periods))
            });
            limits.collect::<Vec<_>>()
        };
        // Its counters are still there.
        machine.write("cg/pod/vm/cpu.max", "max 100000\n");
        machine.write(
            "cg/pod/vm/cpu.stat",
            &STAT_2.replace("nr_throttled 40", "nr_throttled 47"),
        );
        machine.write("cg/pod/cpu.max", "50000 100000\n");
        assert_eq!(by_now(&before), [(0.5, Some(40)), (0.3, Some(47))]);
        // Others may still be throttled in a group that the process has left.
        machine.write("proc/10/cgroup", "0::/elsewhere\n");
        assert_eq!(by_now(&before), [(0.3, None)]);
        let left = machine.limits().since(&before);
        assert_eq!(by_now(&left), [(0.3, None)]);
        let groups = left.groups.as_ref().unwrap();
        let counted_again = groups.counted_again();
        assert_eq!(counted_again.limited[0].counts, None);
        // Back again, it is not known how much of the counts is of its time.
        machine.write("proc/10/cgroup", "0::/pod/vm\n");
        machine.write("cg/pod/vm/cpu.max", "90000 100000\n");
        assert_eq!(by_now(&left), [(0.3, None), (0.5, Some(40))]);
        assert_eq!(by_now(&before), [(0.3, Some(47)), (0.5, Some(40))]);
        let unknown = CpuLimits::default();
        assert_eq!(by_now(&unknown), [(0.9, Some(47)), (0.5, Some(40))]);
    }

    #[test]
    fn a_tree_that_is_deeper_than_is_read_does_not_reach_its_root() {
        let path = "/x".repeat(MAX_GROUPS);
        let machine = Machine::new("deep", &format!("0::{path}\n"), &[MOUNTED_2]);
        machine.group(&format!("cg{path}"));
        machine.write("cg/x/cpu.max", "1000 100000\n");
        assert_eq!(machine.quotas(), Some((vec![1], false)));
        let machine = Machine::new("less", &format!("0::{}\n", &path[2..]), &[MOUNTED_2]);
        machine.group(&format!("cg{}", &path[2..]));
        assert_eq!(machine.quotas(), Some((vec![], true)));
    }

    #[test]
    fn version_1_has_the_controller_where_both_are_mounted() {
        let v1 = ("/", "cg/cpu", "cgroup", "rw,cpuacct,cpu");
        let v2 = ("/", "cg/unified", "cgroup2", "rw");
        let machine = Machine::new("v1", "3:cpuset:/\n2:cpu,cpuacct:/vm\n0::/x\n", &[v2, v1]);
        machine.group("cg/unified/x");
        machine.write("cg/unified/x/cpu.max", "1000 100000\n");
        // The tree that has processors is not in sight.
        assert_eq!(machine.quotas(), None);
        machine.group("cg/cpu/vm");
        machine.write("cg/cpu/vm/cpu.cfs_quota_us", "150000\n");
        machine.write("cg/cpu/vm/cpu.cfs_period_us", "100000\n");
        machine.write("cg/cpu/vm/cpu.stat", STAT_1);
        machine.write("cg/cpu/cpu.cfs_quota_us", "-1\n");
        machine.write("cg/cpu/release_agent", "\n");
        assert_eq!(machine.quotas(), Some((vec![150], true)));
        machine.write("cg/cpu/vm/cpu.cfs_quota_us", "-1\n");
        assert_eq!(machine.quotas(), Some((vec![], true)));
        machine.state("Z");
        assert_eq!(machine.quotas(), None);
        machine.state("S");
        machine.write("cg/cpu/vm/cpu.cfs_quota_us", "-2\n");
        assert_eq!(machine.quotas(), None);
    }

    #[test]
    fn a_mount_of_a_part_of_the_tree_and_names_with_spaces() {
        let part = ("/a\\040b", "cg", "cgroup2", "rw");
        let machine = Machine::new("part", "0::/a b/vm\n", &[part]);
        machine.group("cg/vm");
        machine.write("cg/vm/cpu.max", "30000 100000\n");
        machine.write("cg/cgroup.events", "populated 1\n");
        assert_eq!(machine.quotas(), Some((vec![30], false)));
        // The whole is mounted, too.
        let whole = ("/", "all", "cgroup2", "rw");
        let machine = Machine::new("whole", "0::/a b/vm\n", &[part, whole]);
        machine.group("cg/vm");
        machine.write("cg/cgroup.events", "populated 1\n");
        machine.group("all/a b/vm");
        machine.write("all/a b/cpu.max", "20000 100000\n");
        assert_eq!(machine.quotas(), Some((vec![20], true)));
        // Both are outside of our own namespace of control groups.
        let outer = ("/..", "cg", "cgroup2", "rw");
        let machine = Machine::new("outer", "0::/../vm\n", &[outer]);
        machine.group("cg/vm");
        assert_eq!(machine.quotas(), Some((vec![], true)));
    }

    #[test]
    fn what_is_not_in_sight_is_not_known() {
        for (name, groups, mounts) in [
            ("outside", "0::/../vm\n", &[MOUNTED_2][..]),
            ("gone", "0::/vm\n", &[MOUNTED_2]),
            ("unmounted", "0::/\n", &[]),
            ("other", "0::/vm\n", &[("/x", "cg", "cgroup2", "rw")]),
            ("empty", "", &[MOUNTED_2]),
            ("strange", "0\n::\n:::\nx", &[MOUNTED_2]),
        ] {
            let machine = Machine::new(name, groups, mounts);
            machine.write("cg/cpu.pressure", PRESSURE);
            machine.write("vm/cpu.max", "1 100000\n");
            assert_eq!(machine.quotas(), None, "{name}");
        }
        assert_eq!(ProcFs::at("/nowhere").cpu_limits(1), CpuLimits::default());
    }

    proptest! {
        #[test]
        fn garbage_never_panics(text: String) {
            let _ = parse_cpu_max(&text);
            let _ = parse_cpu_stat(&text);
            let _ = parse_pressure_us(&text);
            let _ = parse_stolen_ms(&text);
            let _ = unescaped(&text);
            for tree in trees(&text) {
                let _ = path_in(&text, tree.version).and_then(|path| tree.folder(path));
            }
        }
    }
}
