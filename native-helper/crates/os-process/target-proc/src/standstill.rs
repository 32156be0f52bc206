//! Whether any part of a process runs: one that is stopped or frozen keeps its memory and uses no processor, whatever
//! its own data show.

use std::fs::File;
use std::io::Read;
use std::path::{Component, Path, PathBuf};

use crate::proc_fs::ProcFs;

const CONTROL_GROUPS: &str = "/sys/fs/cgroup";
const MAX_FILE_BYTES: u64 = 64 << 10;

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

impl ProcFs {
    /// Why nothing of a process runs; `None` when it runs, or is gone, or the kernel does not show it.
    #[must_use]
    pub fn standstill(&self, pid: u32) -> Option<Standstill> {
        self.standstill_in(pid, Path::new(CONTROL_GROUPS))
    }

    fn standstill_in(&self, pid: u32, control_groups: &Path) -> Option<Standstill> {
        // First: a frozen process that is also stopped continues on no signal.
        if let Some(frozen) = self.frozen_group(pid, control_groups) {
            return Some(frozen);
        }
        let status = self.status(pid).ok()?;
        match status.state {
            'T' => Some(Standstill::Stopped),
            't' => Some(Standstill::Traced {
                by: status.tracer_pid,
            }),
            // Where the group is out of sight.
            'S' | 'D' => {
                let waits_in = self.read(pid, "wchan", MAX_FILE_BYTES).ok()?;
                let is_frozen = FREEZER_FUNCTIONS.contains(&&*waits_in);
                is_frozen.then_some(Standstill::Frozen { thaw: None })
            }
            _ => None,
        }
    }

    /// Whether the control group is frozen, and how to thaw it.
    fn frozen_group(&self, pid: u32, control_groups: &Path) -> Option<Standstill> {
        let groups = self.read(pid, "cgroup", MAX_FILE_BYTES).ok()?;
        let groups = String::from_utf8_lossy(&groups);
        groups.lines().find_map(|line| {
            let (controllers, path) = line.split_once(':')?.1.split_once(':')?;
            let path = Path::new(path.trim_start_matches('/'));
            // A group outside of our own namespace begins with `..`.
            if path.components().any(|it| it == Component::ParentDir) {
                return None;
            }
            let freezer = FREEZERS
                .iter()
                .find(|it| controllers.split(',').any(|name| name == it.controller))?;
            freezer.mounts.iter().find_map(|mount| {
                let tree = control_groups.join(mount);
                let group = tree.join(path);
                let says = |group: &Path, (file, line)| has_line(&group.join(file), line);
                if !says(&group, freezer.frozen) {
                    return None;
                }
                let mut around = group.ancestors().take_while(|it| it.starts_with(&tree));
                let frozen = around.find(|it| says(it, freezer.frozen_itself));
                let (file, text) = freezer.thaw;
                let thaw = frozen.map(|it| (it.join(file), text));
                Some(Standstill::Frozen { thaw })
            })
        })
    }
}

fn has_line(file: &Path, line: &str) -> bool {
    let mut text = String::new();
    let read = File::open(file).and_then(|it| it.take(MAX_FILE_BYTES).read_to_string(&mut text));
    read.is_ok() && text.lines().any(|it| it == line)
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

        fn standstill(&self) -> Option<Standstill> {
            let proc_fs = ProcFs::at(self.0.join("proc"));
            proc_fs.standstill_in(10, &self.0.join("cgroup"))
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
        let of = |name, state| Machine::new(name, state, "0::/\n", "0").standstill();
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
    fn where_the_group_is_out_of_sight_the_kernel_says_where_threads_wait() {
        for function in ["do_freezer_trap", "get_signal", "__refrigerator"] {
            let machine = Machine::new(function, 'S', "0::/../docker\n", function);
            assert_eq!(
                machine.standstill(),
                Some(Standstill::Frozen { thaw: None })
            );
        }
        let poll = Machine::new("poll", 'S', "0::/../docker\n", "do_select");
        assert_eq!(poll.standstill(), None);
        let outside = Machine::new("outside", 'S', "0::/../above\n", "0");
        outside.write("above/cgroup.events", "frozen 1\n");
        assert_eq!(outside.standstill(), None, "no file outside of the tree");
    }

    #[test]
    fn strange_groups_are_none() {
        for (number, groups) in ["", "0", "0:", "::", "0::/\n0::\n\0", "x:freezer:"]
            .into_iter()
            .enumerate()
        {
            let machine = Machine::new(&number.to_string(), 'S', groups, "");
            assert_eq!(machine.standstill(), None);
        }
        assert_eq!(ProcFs::live().standstill(std::process::id()), None);
        assert_eq!(ProcFs::live().standstill(u32::MAX), None);
    }
}
