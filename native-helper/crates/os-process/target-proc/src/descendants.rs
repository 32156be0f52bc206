//! Which processes a process has become: its children, their children, and so on.

use std::io;

use shared_map::HashSet;

use crate::error::ProcError;
use crate::proc_fs::ProcFs;
use crate::stat_fields::fields_after_name;

/// A list of children is short; a longer one is cut, and the rest is found by a later search.
const MAX_CHILDREN_BYTES: u64 = 1 << 20;
/// A tree that grows without end is followed no further.
const MAX_PROCESSES: usize = 65_536;
const MAX_LOADAVG_BYTES: u64 = 256;
const MAX_STAT_BYTES: u64 = 64 << 10;
/// What starts programs for an Erlang VM, and waits for their ends.
const PORT_STARTER: &str = "erl_child_setup";

/// The use of a process and of all below it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TreeUse {
    /// Processor time, clock ticks. That of ended ones counts where they were waited for.
    pub cpu_ticks: u64,
    /// Resident memory, bytes; shared memory counts in each.
    pub rss_bytes: u64,
    /// How many run.
    pub processes: u64,
}

/// One process, and those that it has waited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProcessUse {
    /// Its number.
    pub pid: u32,
    /// When it started, see [`ProcFs::start_ticks`].
    pub start_ticks: u64,
    /// Processor time, clock ticks.
    pub cpu_ticks: u64,
}

/// The children of a VM that are below none of its ports, and all below them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BesidePorts {
    /// Processor time of the children of the VM that ended and were waited for, clock ticks.
    pub ended_ticks: u64,
    /// Those that run.
    pub running: Vec<ProcessUse>,
}

/// Processes and all below them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Descendants {
    /// Each once, parents before their children.
    pub pids: Vec<u32>,
    /// The children of each could be listed.
    pub are_all: bool,
}

impl ProcFs {
    /// The children of one process, as all of its threads have started them.
    ///
    /// # Errors
    /// No such process, or a kernel without `/proc/PID/task/TID/children`.
    pub fn children(&self, pid: u32) -> Result<Vec<u32>, ProcError> {
        let mut children = Vec::new();
        for tid in self.thread_ids(pid)? {
            // A thread that has ended in between has no children any more: they are another thread's.
            match self.children_of_thread(pid, tid) {
                Ok(of_thread) => children.extend(of_thread),
                Err(ProcError::NoSuchProcess { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(children)
    }

    /// The children that one thread has started, or that became its own when their parents ended.
    ///
    /// # Errors
    /// As for [`ProcFs::children`].
    pub fn children_of_thread(&self, pid: u32, tid: u32) -> Result<Vec<u32>, ProcError> {
        let file = format!("task/{tid}/children");
        let text = self.read(pid, &file, MAX_CHILDREN_BYTES);
        let is_there = || self.path(pid, &format!("task/{tid}")).is_dir();
        match text {
            Ok(text) => Ok(numbers(&text).collect()),
            Err(ProcError::NoSuchProcess { pid }) if is_there() => Err(ProcError::Io {
                pid,
                file,
                source: io::ErrorKind::NotFound.into(),
            }),
            Err(error) => Err(error),
        }
    }

    /// The parent of a process; `None` when the process has ended.
    #[must_use]
    pub fn parent(&self, pid: u32) -> Option<u32> {
        let stat = self.read(pid, "stat", MAX_STAT_BYTES).ok()?;
        // Behind the state.
        fields_after_name(&stat)?.nth(1)?.parse().ok()
    }

    /// `roots` and all processes below them. Of processes that end during the search, and of hidden ones, the children are
    /// left out.
    #[must_use]
    pub fn with_descendants(&self, roots: &[u32]) -> Descendants {
        let mut seen: HashSet<u32> = roots.iter().copied().collect();
        let mut found = Descendants {
            pids: roots.to_vec(),
            are_all: true,
        };
        let mut next = 0;
        while let Some(&pid) = found.pids.get(next) {
            next += 1;
            let children = match self.children(pid) {
                Ok(children) => children,
                Err(ProcError::NoSuchProcess { .. }) if !self.is_hidden(pid) => continue,
                Err(_) => {
                    found.are_all = false;
                    continue;
                }
            };
            for child in children {
                if found.pids.len() >= MAX_PROCESSES {
                    found.are_all = false;
                } else if seen.insert(child) {
                    found.pids.push(child);
                }
            }
        }
        found
    }

    /// The child of a VM that starts the programs of its ports; `None` where it is not in sight.
    ///
    /// # Errors
    /// As for [`ProcFs::children`].
    pub fn port_starter(&self, vm: u32) -> Result<Option<u32>, ProcError> {
        let is_starter = |pid: &u32| self.status(*pid).is_ok_and(|it| it.name == PORT_STARTER);
        Ok(self.children(vm)?.into_iter().find(is_starter))
    }

    /// The use of a process and of all below it; `None` when the time of the process cannot be read, or not all below it are
    /// known. A process below it that ends during the search is left out.
    #[must_use]
    pub fn use_of_tree(&self, root: u32) -> Option<TreeUse> {
        let all = self.use_of_trees(&[root])?;
        (all.processes > 0 && self.cpu_ticks_with_children(root).is_some()).then_some(all)
    }

    /// The same of several processes, without those that have ended.
    fn use_of_trees(&self, roots: &[u32]) -> Option<TreeUse> {
        let mut all = TreeUse::default();
        let found = self.with_descendants(roots);
        if !found.are_all {
            return None;
        }
        for pid in found.pids {
            let Some(ticks) = self.cpu_ticks_with_children(pid) else {
                continue;
            };
            all.cpu_ticks = all.cpu_ticks.saturating_add(ticks);
            // One that has no memory any more was not waited for.
            let rss_bytes = self.resident_bytes(pid).unwrap_or(0);
            all.rss_bytes = all.rss_bytes.saturating_add(rss_bytes);
            all.processes += 1;
        }
        Some(all)
    }

    /// The use of the programs below the ports of a VM: memory and number of those that run, and at least the processor
    /// time of all since the VM began. `None` where it is not known.
    #[must_use]
    pub fn use_of_port_programs(&self, vm: u32) -> Option<TreeUse> {
        let starter = self.port_starter(vm).ok().flatten()?;
        let own_ticks = self.activity(starter)?.cpu_ticks;
        let all = self.use_of_tree(starter)?;
        Some(TreeUse {
            cpu_ticks: all.cpu_ticks.saturating_sub(own_ticks),
            rss_bytes: all.rss_bytes.saturating_sub(self.resident_bytes(starter)?),
            processes: all.processes - 1,
        })
    }

    /// The use of the children of a VM that are below none of its ports, and of all below them: memory and number of those
    /// that run, and at least the processor time of all since the VM began. A NIF or a driver has started them, or their
    /// parents have ended and the VM is the first process of its container. `starter` starts the programs of ports. `None`
    /// where it is not known.
    #[must_use]
    pub fn use_beside_ports(&self, vm: u32, starter: u32) -> Option<TreeUse> {
        let of_ended = self.cpu_ticks_of_children(vm)?;
        let running = self.use_of_trees(&self.children_beside(vm, starter)?)?;
        Some(TreeUse {
            cpu_ticks: running.cpu_ticks.saturating_add(of_ended),
            ..running
        })
    }

    /// The same processes one by one: one that lost its parent brings processor time of before it was a child of the VM.
    #[must_use]
    pub fn processes_beside_ports(&self, vm: u32, starter: u32) -> Option<BesidePorts> {
        let ended_ticks = self.cpu_ticks_of_children(vm)?;
        let found = self.with_descendants(&self.children_beside(vm, starter)?);
        let running = found.pids.iter().filter_map(|pid| {
            Some(ProcessUse {
                pid: *pid,
                start_ticks: self.start_ticks(*pid).ok()?,
                cpu_ticks: self.cpu_ticks_with_children(*pid)?,
            })
        });
        found.are_all.then(|| BesidePorts {
            ended_ticks,
            running: running.collect(),
        })
    }

    fn children_beside(&self, vm: u32, starter: u32) -> Option<Vec<u32>> {
        let mut children = self.children(vm).ok()?;
        children.retain(|pid| *pid != starter);
        Some(children)
    }

    /// The number that the kernel gave to the newest process or thread. While it stays the same, nothing
    /// was started. `None` where `/proc` does not have it.
    #[must_use]
    pub fn newest_id(&self) -> Option<u32> {
        let text = self.read_top("loadavg", MAX_LOADAVG_BYTES)?;
        std::str::from_utf8(&text)
            .ok()?
            .split_ascii_whitespace()
            .nth(4)?
            .parse()
            .ok()
    }
}

fn numbers(text: &[u8]) -> impl Iterator<Item = u32> {
    text.split(u8::is_ascii_whitespace)
        .filter_map(|word| std::str::from_utf8(word).ok()?.parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::process::{Command, Stdio};

    /// A tree of processes below a folder: each with one thread and its children.
    fn tree(processes: &[(u32, &str)]) -> (crafted::Folder, ProcFs) {
        let folder = crafted::Folder::new();
        for (pid, children) in processes {
            let task = folder.path().join(format!("{pid}/task/{pid}"));
            fs::create_dir_all(&task).unwrap();
            fs::write(task.join("children"), children).unwrap();
        }
        let proc_fs = ProcFs::at(folder.path());
        (folder, proc_fs)
    }

    mod crafted {
        use std::path::{Path, PathBuf};
        use std::sync::atomic::{AtomicU32, Ordering};

        static NEXT: AtomicU32 = AtomicU32::new(0);

        /// A folder that is removed at the end.
        pub struct Folder(PathBuf);

        impl Folder {
            pub fn new() -> Self {
                let number = NEXT.fetch_add(1, Ordering::Relaxed);
                let name = format!("descendants-{}-{number}", std::process::id());
                let path = std::env::temp_dir().join(name);
                std::fs::create_dir_all(&path).unwrap();
                Self(path)
            }

            pub fn path(&self) -> &Path {
                &self.0
            }
        }

        impl Drop for Folder {
            fn drop(&mut self) {
                let _ = std::fs::remove_dir_all(&self.0);
            }
        }
    }

    #[test]
    fn a_tree_is_walked_once_even_where_it_goes_round() {
        let (_folder, proc_fs) = tree(&[(1, "2 3 "), (2, "4"), (3, ""), (4, "1 2 x 99999999999")]);
        let below = |roots: &[u32]| {
            let found = proc_fs.with_descendants(roots);
            assert!(found.are_all);
            found.pids
        };
        assert_eq!(below(&[1]), [1, 2, 3, 4]);
        assert_eq!(below(&[3, 2]), [3, 2, 4, 1]);
        assert_eq!(
            below(&[NO_PROCESS]),
            [NO_PROCESS],
            "one that is gone has none"
        );
    }

    /// No kernel gives this number.
    const NO_PROCESS: u32 = 1 << 30;

    #[test]
    fn a_process_that_is_there_and_not_shown_is_not_taken_for_one_that_has_ended() {
        let hidden = std::process::id();
        let [first, last] = [NO_PROCESS + 1, NO_PROCESS + 2];
        let children = format!("{NO_PROCESS} {hidden} {last}");
        let (_folder, proc_fs) = tree(&[(first, &children), (last, "")]);
        assert!(proc_fs.is_hidden(hidden) && !proc_fs.has_ended(hidden));
        assert!(!proc_fs.is_hidden(last) && !proc_fs.is_hidden(NO_PROCESS));
        assert!(proc_fs.has_ended(NO_PROCESS));
        let found = proc_fs.with_descendants(&[first]);
        let expected = vec![first, NO_PROCESS, hidden, last];
        assert_eq!((found.pids, found.are_all), (expected, false));
        assert!(!proc_fs.with_descendants(&[hidden]).are_all);
        assert!(proc_fs.with_descendants(&[NO_PROCESS]).are_all);
        assert!(!ProcFs::live().is_hidden(hidden));
    }

    #[test]
    fn children_that_the_kernel_does_not_list_are_not_taken_for_none() {
        let (folder, proc_fs) = tree(&[(1, "2"), (2, "3"), (3, "")]);
        for pid in 1..=3 {
            describe(&folder, pid, "a", "1 0 0 0", 10);
        }
        assert!(proc_fs.use_of_tree(1).is_some());
        fs::remove_file(folder.path().join("2/task/2/children")).unwrap();
        assert!(matches!(proc_fs.children(2), Err(ProcError::Io { .. })));
        let found = proc_fs.with_descendants(&[1]);
        assert_eq!((found.pids, found.are_all), (vec![1, 2], false));
        assert_eq!(proc_fs.use_of_tree(1), None);
        assert!(proc_fs.use_of_tree(3).is_some());
    }

    /// What `stat` and `statm` of the kernel have of a process in such a tree.
    fn describe(folder: &crafted::Folder, pid: u32, name: &str, ticks: &str, pages: u64) {
        let place = folder.path().join(pid.to_string());
        let stat = format!("{pid} ({name}) S 4 5 6 7 8 9 10 11 12 13 {ticks} 18 19 20 21 22 23");
        fs::write(place.join("stat"), stat).unwrap();
        fs::write(place.join("statm"), format!("99 {pages} 1 1 0 1 0")).unwrap();
        let status = "State:\tS (sleeping)\nTracerPid:\t0\nUid:\t0\t0\t0\t0\nGid:\t0\t0\t0\t0\nThreads:\t1\nCapEff:\t0\n";
        fs::write(place.join("status"), format!("Name:\t{name}\n{status}")).unwrap();
    }

    #[test]
    fn the_use_of_a_tree_is_that_of_all_in_it_and_of_a_process_that_is_gone_it_is_unknown() {
        let (folder, proc_fs) = tree(&[(1, "2 3"), (2, "4"), (3, ""), (4, "")]);
        assert_eq!(proc_fs.use_of_tree(1), None);
        for (pid, ticks) in [(1, "1 2 3 4"), (2, "10 20 30 40"), (4, "0 0 0 500")] {
            describe(&folder, pid, "a", ticks, 10);
        }
        let all = |cpu_ticks, processes| {
            let rss_bytes = processes * 10 * 4096;
            Some(TreeUse {
                cpu_ticks,
                rss_bytes,
                processes,
            })
        };
        assert_eq!(proc_fs.use_of_tree(1), all(10 + 100 + 500, 3));
        assert_eq!(proc_fs.use_of_tree(4), all(500, 1));
        assert_eq!(proc_fs.use_of_tree(3), None);
    }

    #[test]
    fn programs_below_ports_are_those_below_what_starts_them_and_unknown_where_it_is_not_in_sight()
    {
        let (folder, proc_fs) = tree(&[(1, "2 3"), (2, ""), (3, "4"), (4, "5"), (5, "")]);
        for (pid, ticks) in [
            (1, "900 0 0 0"),
            (2, "800 0 0 0"),
            (4, "10 0 5 0"),
            (5, "1 0 0 0"),
        ] {
            describe(&folder, pid, "a", ticks, 10);
        }
        describe(&folder, 3, "another", "1 1 30 40", 10);
        assert_eq!(proc_fs.use_of_port_programs(1), None, "not in sight");
        describe(&folder, 3, PORT_STARTER, "1 1 30 40", 10);
        let running = TreeUse {
            cpu_ticks: 15 + 1 + 70,
            rss_bytes: 2 * 10 * 4096,
            processes: 2,
        };
        assert_eq!(
            proc_fs.use_of_port_programs(1),
            Some(running),
            "with 70 of those that ended"
        );
        fs::remove_file(folder.path().join("3/stat")).unwrap();
        assert_eq!(proc_fs.use_of_port_programs(1), None);
    }

    #[test]
    fn children_that_no_port_has_are_those_beside_what_starts_programs_and_those_that_ended() {
        let children = format!("2 3 {NO_PROCESS}");
        let (folder, proc_fs) = tree(&[(1, &children), (2, "6"), (3, "4"), (4, ""), (6, "")]);
        for (pid, ticks) in [
            (1, "900 50 3 4"),
            (2, "20 0 0 1"),
            (4, "10 0 5 0"),
            (6, "2 0 0 0"),
        ] {
            describe(&folder, pid, "a", ticks, 10);
        }
        describe(&folder, 3, PORT_STARTER, "1 1 30 40", 10);
        let beside = TreeUse {
            cpu_ticks: 7 + 21 + 2,
            rss_bytes: 2 * 10 * 4096,
            processes: 2,
        };
        assert_eq!(
            proc_fs.use_beside_ports(1, 3),
            Some(beside),
            "one has ended"
        );
        let each = proc_fs.processes_beside_ports(1, 3).unwrap();
        let ticks = each.running.iter().map(|it| (it.pid, it.cpu_ticks));
        assert_eq!(ticks.collect::<Vec<_>>(), [(2, 21), (6, 2)]);
        assert_eq!(each.ended_ticks, 7);
        fs::remove_file(folder.path().join("2/task/2/children")).unwrap();
        assert_eq!(proc_fs.use_beside_ports(1, 3), None, "not all are listed");
        assert_eq!(proc_fs.processes_beside_ports(1, 3), None);
    }

    #[test]
    fn the_newest_id_is_the_last_word_of_the_load() {
        let (folder, proc_fs) = tree(&[]);
        assert_eq!(proc_fs.newest_id(), None);
        fs::write(folder.path().join("loadavg"), "0.1 0.2 0.3 2/345 4711\n").unwrap();
        assert_eq!(proc_fs.newest_id(), Some(4711));
        fs::write(folder.path().join("loadavg"), "0.1 0.2 0.3\n").unwrap();
        assert_eq!(proc_fs.newest_id(), None);
    }

    #[test]
    fn a_child_of_a_child_of_ours_is_found() {
        let mut shell = Command::new("sh")
            .args(["-c", "sleep 30 & echo $!; wait"])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        let output = shell.stdout.take().unwrap();
        std::io::BufRead::read_line(&mut std::io::BufReader::new(output), &mut line).unwrap();
        let sleeper: u32 = line.trim().parse().unwrap();
        let found = ProcFs::live().with_descendants(&[std::process::id()]).pids;
        let ended = Command::new("kill").arg(line.trim()).status().unwrap();
        shell.wait().unwrap();
        assert!(
            found.contains(&shell.id()) && found.contains(&sleeper),
            "{found:?}"
        );
        assert!(ended.success());
        assert!(ProcFs::live().newest_id().is_some());
        let parent = ProcFs::live().parent(std::process::id());
        assert_eq!(parent, Some(std::os::unix::process::parent_id()));
    }
}
