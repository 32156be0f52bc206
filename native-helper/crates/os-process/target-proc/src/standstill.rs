//! Whether any part of a process runs: one that is stopped or frozen keeps its memory and uses no processor, whatever
//! its own data show.

use std::fs::File;
use std::io::Read;
use std::path::{Component, Path, PathBuf};

use crate::error::ProcError;
use crate::proc_fs::ProcFs;

const CONTROL_GROUPS: &str = "/sys/fs/cgroup";
const MAX_FILE_BYTES: u64 = 64 << 10;
/// A file that every control group has.
const MEMBERS: &str = "cgroup.procs";

/// Why nothing of a process runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Standstill {
    /// A signal (SIGSTOP and its like) stopped it.
    Stopped,
    /// A debugger holds it.
    Traced {
        /// The debugger; 0 where the kernel does not show it.
        by: u32,
    },
    /// Its control group is frozen, as `docker pause` does it.
    Frozen {
        /// The file that thaws it and the text to write there; `None` where the control group is not in sight.
        thaw: Option<(PathBuf, &'static str)>,
    },
}

/// Why it is not known whether any part of a process runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the kernel shows neither its control group nor where it waits")]
pub struct StandstillNotShown;

/// What the control groups of a process show.
#[derive(Debug, PartialEq, Eq)]
enum Groups {
    /// One of them is frozen.
    Frozen(Standstill),
    /// None of them is.
    NotFrozen,
    /// Not all of them are in sight, and none of the others is frozen.
    OutOfSight,
}

/// The files of a freezer, below the control group.
struct Freezer {
    /// The controller in `/proc/PID/cgroup`; empty for version 2.
    controller: &'static str,
    /// Where the tree of groups is mounted, below [`CONTROL_GROUPS`].
    mounts: &'static [&'static str],
    /// The file, and its line when the group or one above it is frozen.
    frozen: (&'static str, &'static str),
    /// The same when this very group is.
    frozen_itself: (&'static str, &'static str),
    /// The file and the text that thaw this group.
    thaw: (&'static str, &'static str),
}

const FREEZERS: [Freezer; 2] = [
    Freezer {
        controller: "",
        mounts: &["", "unified"],
        frozen: ("cgroup.events", "frozen 1"),
        frozen_itself: ("cgroup.freeze", "1"),
        thaw: ("cgroup.freeze", "0"),
    },
    Freezer {
        controller: "freezer",
        mounts: &["freezer"],
        frozen: ("freezer.state", "FROZEN"),
        frozen_itself: ("freezer.self_freezing", "1"),
        thaw: ("freezer.state", "THAWED"),
    },
];

/// The functions of the kernel in which frozen threads wait. `get_signal` is one where the compiler has put
/// `do_freezer_trap` into it: besides, threads wait in it in the states `T` and `t` alone.
const FREEZER_FUNCTIONS: [&[u8]; 3] = [b"do_freezer_trap", b"get_signal", b"__refrigerator"];

/// A process that has just been woken waits in no function.
const LOOKS: usize = 3;

impl ProcFs {
    /// Why nothing of a process runs; `None` when it runs, or is gone.
    ///
    /// # Errors
    /// It waits, and the kernel shows neither its control groups nor in which function.
    pub fn standstill(&self, pid: u32) -> Result<Option<Standstill>, StandstillNotShown> {
        self.standstill_in(pid, Path::new(CONTROL_GROUPS))
    }

    fn standstill_in(
        &self,
        pid: u32,
        control_groups: &Path,
    ) -> Result<Option<Standstill>, StandstillNotShown> {
        // First: a frozen process that is also stopped continues on no signal.
        let are_groups_seen = match self.frozen_group(pid, control_groups) {
            Groups::Frozen(frozen) => return Ok(Some(frozen)),
            Groups::NotFrozen => true,
            Groups::OutOfSight => false,
        };
        for _ in 0..LOOKS {
            let status = match self.status(pid) {
                Ok(status) => status,
                Err(ProcError::NoSuchProcess { .. }) => return Ok(None),
                Err(_) => return Err(StandstillNotShown),
            };
            match status.state {
                'T' => return Ok(Some(Standstill::Stopped)),
                't' => {
                    let by = status.tracer_pid;
                    return Ok(Some(Standstill::Traced { by }));
                }
                // Where the group is out of sight.
                'S' | 'D' => match self.waits_in_freezer(pid) {
                    Some(true) => return Ok(Some(Standstill::Frozen { thaw: None })),
                    Some(false) => return Ok(None),
                    None => {}
                },
                _ => return Ok(None),
            }
        }
        match are_groups_seen {
            true => Ok(None),
            false => Err(StandstillNotShown),
        }
    }

    /// Whether the first thread of a process waits in the kernel's freezer; `None` where the kernel does not show that:
    /// it has no name for the function, or shows 0 to who may not read the process.
    fn waits_in_freezer(&self, pid: u32) -> Option<bool> {
        let waits_in = self.read(pid, "wchan", MAX_FILE_BYTES).ok()?;
        let is_named = !waits_in.iter().all(u8::is_ascii_digit);
        is_named.then(|| FREEZER_FUNCTIONS.contains(&&*waits_in))
    }

    /// Whether a control group of the process is frozen, and how to thaw it.
    fn frozen_group(&self, pid: u32, control_groups: &Path) -> Groups {
        let Ok(groups) = self.read(pid, "cgroup", MAX_FILE_BYTES) else {
            return Groups::OutOfSight;
        };
        let groups = String::from_utf8_lossy(&groups);
        let of_freezers = groups.lines().filter_map(|line| {
            let (controllers, path) = line.split_once(':')?.1.split_once(':')?;
            let freezer = FREEZERS
                .iter()
                .find(|it| controllers.split(',').any(|name| name == it.controller))?;
            Some((freezer, Path::new(path.trim_start_matches('/'))))
        });
        let (mut seen, mut are_all) = (0, true);
        for (freezer, path) in of_freezers {
            match freezer.look(path, control_groups) {
                Groups::Frozen(frozen) => return Groups::Frozen(frozen),
                Groups::NotFrozen => seen += 1,
                Groups::OutOfSight => are_all = false,
            }
        }
        match are_all && seen > 0 {
            true => Groups::NotFrozen,
            false => Groups::OutOfSight,
        }
    }
}

impl Freezer {
    /// Whether the group at `path` is frozen.
    fn look(&self, path: &Path, control_groups: &Path) -> Groups {
        // A group outside of our own namespace begins with `..`.
        if path.components().any(|it| it == Component::ParentDir) {
            return Groups::OutOfSight;
        }
        let (file, line) = self.frozen;
        for mount in self.mounts {
            let tree = control_groups.join(mount);
            let group = tree.join(path);
            match has_line(&group.join(file), line) {
                Some(true) => {
                    let (own_file, own_line) = self.frozen_itself;
                    let is_frozen =
                        |it: &&Path| has_line(&it.join(own_file), own_line) == Some(true);
                    let mut around = group.ancestors().take_while(|it| it.starts_with(&tree));
                    let frozen = around.find(is_frozen);
                    let (file, text) = self.thaw;
                    let thaw = frozen.map(|it| (it.join(file), text));
                    return Groups::Frozen(Standstill::Frozen { thaw });
                }
                Some(false) => return Groups::NotFrozen,
                // The outermost group cannot be frozen, nor any of a kernel without that file.
                None if group.join(MEMBERS).exists() && !group.join(file).exists() => {
                    return Groups::NotFrozen;
                }
                None => {}
            }
        }
        Groups::OutOfSight
    }
}

/// Whether a file has the line; `None` where it cannot be read.
fn has_line(file: &Path, line: &str) -> Option<bool> {
    let mut text = String::new();
    let opened = File::open(file).ok()?;
    opened.take(MAX_FILE_BYTES).read_to_string(&mut text).ok()?;
    Some(text.lines().any(|it| it == line))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    /// A `/proc` and a `/sys/fs/cgroup` that hold one process; removed when dropped.
    struct Machine(PathBuf);

    impl Machine {
        fn new(name: &str, state: char, group: &str, wchan: &str) -> Self {
            let root = std::env::temp_dir().join(format!("still-{name}-{}", std::process::id()));
            let machine = Self(root);
            let status = format!(
                "Name:\tbeam.smp\nState:\t{state}\nTracerPid:\t9\nUid:\t7\t8\t9\t7\nGid:\t0\t0\t0\t0\n\
                 Threads:\t4\nCapEff:\t0\n"
            );
            machine.write("proc/10/status", &status);
            machine.write("proc/10/cgroup", group);
            machine.write("proc/10/wchan", wchan);
            machine
        }

        fn write(&self, file: &str, text: &str) {
            let file = self.0.join(file);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, text).unwrap();
        }

        fn look(&self) -> Result<Option<Standstill>, StandstillNotShown> {
            let proc_fs = ProcFs::at(self.0.join("proc"));
            proc_fs.standstill_in(10, &self.0.join("cgroup"))
        }

        /// Where it is known.
        fn standstill(&self) -> Option<Standstill> {
            self.look().unwrap()
        }

        fn frozen_by(&self, file: &str, text: &'static str) -> Option<Standstill> {
            let thaw = Some((self.0.join("cgroup").join(file), text));
            Some(Standstill::Frozen { thaw })
        }
    }

    impl Drop for Machine {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn a_stopped_process_and_one_with_a_debugger() {
        let of = |name, state| Machine::new(name, state, "0::/\n", "do_epoll_wait").standstill();
        assert_eq!(of("stopped", 'T'), Some(Standstill::Stopped));
        assert_eq!(of("traced", 't'), Some(Standstill::Traced { by: 9 }));
        assert_eq!(of("runs", 'R'), None);
        assert_eq!(of("sleeps", 'S'), None);
    }

    #[test]
    fn a_group_below_a_frozen_one_is_thawed_by_that() {
        let machine = Machine::new("v2", 'S', "1:cpu:/\n0::/a b/c\n", "0");
        let write = |file: &str, text| machine.write(&format!("cgroup/{file}"), text);
        write("a b/c/cgroup.events", "populated 1\nfrozen 1\n");
        write("a b/c/cgroup.freeze", "0\n");
        write("a b/cgroup.freeze", "1\n");
        assert_eq!(
            machine.standstill(),
            machine.frozen_by("a b/cgroup.freeze", "0")
        );
        write("a b/c/cgroup.events", "populated 1\nfrozen 0\n");
        assert_eq!(machine.standstill(), None);
    }

    #[test]
    fn groups_of_version_1_and_of_both_versions_side_by_side() {
        let groups = "6:cpu,freezer:/x\n0::/y\n";
        let machine = Machine::new("v1", 'D', groups, "0");
        machine.write("cgroup/unified/y/cgroup.events", "populated 1\nfrozen 0\n");
        machine.write("cgroup/freezer/x/freezer.state", "FROZEN\n");
        machine.write("cgroup/freezer/x/freezer.self_freezing", "1\n");
        assert_eq!(
            machine.standstill(),
            machine.frozen_by("freezer/x/freezer.state", "THAWED")
        );
        machine.write("cgroup/freezer/x/freezer.state", "THAWED\n");
        machine.write("cgroup/unified/y/cgroup.events", "populated 1\nfrozen 1\n");
        machine.write("cgroup/unified/y/cgroup.freeze", "1\n");
        assert_eq!(
            machine.standstill(),
            machine.frozen_by("unified/y/cgroup.freeze", "0")
        );
    }

    #[test]
    fn where_the_group_is_out_of_sight_the_kernel_shows_where_threads_wait() {
        for function in ["do_freezer_trap", "get_signal", "__refrigerator"] {
            let machine = Machine::new(function, 'S', "0::/../docker\n", function);
            assert_eq!(
                machine.standstill(),
                Some(Standstill::Frozen { thaw: None })
            );
        }
        let poll = Machine::new("poll", 'S', "0::/../docker\n", "do_select");
        assert_eq!(poll.standstill(), None);
        let outside = Machine::new("outside", 'S', "0::/../above\n", "do_select");
        outside.write("above/cgroup.events", "frozen 1\n");
        assert_eq!(outside.standstill(), None, "no file outside of the tree");
    }

    #[test]
    fn a_process_that_waits_is_not_reported_as_running_where_nothing_shows_whether_it_is_frozen() {
        // The kernel shows 0 to who may not read the process, and where it has no names.
        for (name, wchan) in [("hidden", "0"), ("empty", ""), ("address", "18446744071")] {
            let machine = Machine::new(name, 'S', "0::/../docker\n", wchan);
            assert_eq!(machine.look(), Err(StandstillNotShown), "{name}");
        }
        let unread = Machine::new("unread", 'D', "0::/x\n", "0");
        fs::remove_file(unread.0.join("proc/10/wchan")).unwrap();
        assert_eq!(unread.look(), Err(StandstillNotShown));
        fs::remove_file(unread.0.join("proc/10/cgroup")).unwrap();
        assert_eq!(unread.look(), Err(StandstillNotShown));
        // One of both groups is out of sight.
        let half = Machine::new("half", 'S', "6:freezer:/x\n0::/y\n", "0");
        half.write("cgroup/unified/y/cgroup.events", "populated 1\nfrozen 0\n");
        assert_eq!(half.look(), Err(StandstillNotShown));
        half.write("cgroup/freezer/x/freezer.state", "THAWED\n");
        assert_eq!(half.look(), Ok(None));
        // One that is on a processor runs, wherever its group is.
        let runs = Machine::new("on", 'R', "0::/../docker\n", "0");
        assert_eq!(runs.look(), Ok(None));
    }

    #[test]
    fn the_outermost_group_cannot_be_frozen() {
        let machine = Machine::new("outermost", 'S', "0::/\n", "0");
        assert_eq!(machine.look(), Err(StandstillNotShown), "no such tree");
        machine.write("cgroup/cgroup.procs", "10\n");
        assert_eq!(machine.look(), Ok(None));
    }

    #[test]
    fn strange_groups_are_not_in_sight() {
        for (number, groups) in ["", "0", "0:", "::", "0::/\n0::\n\0", "x:freezer:"]
            .into_iter()
            .enumerate()
        {
            let machine = Machine::new(&number.to_string(), 'S', groups, "");
            assert_eq!(machine.look(), Err(StandstillNotShown));
            machine.write("proc/10/wchan", "do_select");
            assert_eq!(machine.look(), Ok(None));
        }
        assert_eq!(ProcFs::live().standstill(std::process::id()), Ok(None));
        assert_eq!(ProcFs::live().standstill(u32::MAX), Ok(None));
    }
}
