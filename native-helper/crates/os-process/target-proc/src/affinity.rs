//! On which processors the threads of a process may run: their affinity, within the set of its control group.

use std::collections::BTreeSet;

use crate::proc_fs::ProcFs;

/// Below the parent folder of `/proc`.
const ONLINE_FILE: &str = "../sys/devices/system/cpu/online";
const MAX_LIST_BYTES: u64 = 16 << 10;
const MAX_STATUS_BYTES: u64 = 64 << 10;
/// The most that a kernel has.
pub const MAX_CPUS: u32 = 8192;
/// Threads that are looked at; of a process with more it is not known.
const MAX_THREADS: usize = 512;

/// How many processors a process may use at all, of how many.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Affinity {
    /// Those on which a thread of it may run.
    pub allowed: u32,
    /// Those that are online.
    pub online: u32,
}

/// `0-3,8` as numbers.
#[must_use]
pub fn parse_cpu_list(text: &str) -> Vec<u32> {
    let range = |part: &str| {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let (first, last) = (first.parse().ok()?, last.parse::<u32>().ok()?);
        (last < MAX_CPUS).then_some(first..=last)
    };
    text.split(',').filter_map(range).flatten().collect()
}

/// The processors in the text of a thread's `status`; some may be offline.
#[must_use]
pub fn parse_allowed_cpus(status: &[u8]) -> Option<Vec<u32>> {
    let text = String::from_utf8_lossy(status);
    let mut lines = text.lines();
    let list = lines.find_map(|line| line.strip_prefix("Cpus_allowed_list:"))?;
    let cpus = parse_cpu_list(list.trim());
    (!cpus.is_empty()).then_some(cpus)
}

impl ProcFs {
    /// `None` where it is not known. Of a process whose main thread may not run everywhere, threads are read until one may.
    #[must_use]
    pub fn affinity(&self, pid: u32) -> Option<Affinity> {
        let list = self.read_top(ONLINE_FILE, MAX_LIST_BYTES)?;
        let list = parse_cpu_list(String::from_utf8_lossy(&list).trim());
        let online: BTreeSet<u32> = list.into_iter().collect();
        let of = |file: &str| {
            let text = self.read(pid, file, MAX_STATUS_BYTES).ok()?;
            let mut cpus = parse_allowed_cpus(&text)?;
            cpus.retain(|cpu| online.contains(cpu));
            Some(cpus)
        };
        let mut allowed: BTreeSet<u32> = of("status")?.into_iter().collect();
        // The main thread may be bound alone.
        if allowed.len() < online.len() {
            let threads = self.thread_ids(pid).ok()?;
            if threads.len() > MAX_THREADS {
                return None;
            }
            for tid in threads {
                // No further one may run elsewhere.
                if allowed.len() == online.len() {
                    break;
                }
                // One that has ended in between runs nowhere.
                allowed.extend(of(&format!("task/{tid}/status")).into_iter().flatten());
            }
        }
        let count = |cpus: &BTreeSet<u32>| u32::try_from(cpus.len()).ok();
        (!allowed.is_empty()).then_some(Affinity {
            allowed: count(&allowed)?,
            online: count(&online)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::fs;

    #[test]
    fn cpu_lists_as_the_kernel_prints_them() {
        assert_eq!(parse_cpu_list("0-1"), [0, 1]);
        assert_eq!(parse_cpu_list("0,2-3,7"), [0, 2, 3, 7]);
        assert!(parse_cpu_list("").is_empty());
        assert!(parse_cpu_list("0-4000000000,x").is_empty());
    }

    #[test]
    fn a_process_may_run_where_one_of_its_threads_may_and_a_processor_is_online() {
        let root = std::env::temp_dir().join(format!("affinity-{}", std::process::id()));
        let write = |file: &str, text: &str| {
            let file = root.join(file);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, text).unwrap();
        };
        let thread = |tid: u32, list: &str| {
            let text = format!("Name:\ta\nCpus_allowed:\tff\nCpus_allowed_list:\t{list}\n");
            write(&format!("proc/7/task/{tid}/status"), &text);
            if tid == 7 {
                write("proc/7/status", &text);
            }
        };
        let found = || {
            let affinity = ProcFs::at(root.join("proc")).affinity(7);
            affinity.map(|it| (it.allowed, it.online))
        };
        assert_eq!(found(), None);
        write("sys/devices/system/cpu/online", "0-3,6\n");
        assert_eq!(found(), None, "its own are not known");
        // A kernel lists processors that could be there, too.
        thread(7, "0-127");
        assert_eq!(found(), Some((5, 5)));
        thread(7, "2,5");
        thread(8, "2");
        assert_eq!(found(), Some((1, 5)));
        // As `taskset -p` binds the main thread alone.
        thread(8, "0-127");
        assert_eq!(found(), Some((5, 5)));
        thread(8, "x");
        thread(7, "5");
        assert_eq!(found(), None, "on one that is offline it cannot run");
        fs::remove_dir_all(&root).unwrap();
    }

    proptest! {
        #[test]
        fn garbage_never_panics(text: Vec<u8>) {
            let _ = parse_allowed_cpus(&text);
            let _ = parse_cpu_list(&String::from_utf8_lossy(&text));
        }
    }
}
