//! The processor time and memory of the programs below the target's ports: they are processes of their own, so no sample
//! has it.

use std::time::{Duration, Instant};

use attach::AttachedVm;
use capture::quality::ProgramsOfPort;
use shared_map::{HashMap, HashSet};
use shared_sort::SharedSort;
use target_proc::ProcFs;
use target_proc::descendants::{BesidePorts, TreeUse};

use super::Recording;
use crate::sys;

const LOOK_INTERVAL: Duration = Duration::from_secs(1);
/// With many programs, looks are rarer: each takes a hundredth of the time until the next one at most.
const REST: u32 = 100;
/// The kernel's unit of processor time for programs.
const TICK_MS: u64 = 10;
/// Programs and ports of one capture that are distinguished, and ports that it reports.
const MOST_PROGRAMS: usize = 10_000;
const MOST_PORTS: usize = 100;
const MOST_REPORTED: usize = 10;

/// The program of a port, and the port's owner; each `None` where it is not known.
type PortName = (Option<String>, Option<String>);

/// Readings of the programs.
#[derive(Debug, Default)]
pub(super) struct PortPrograms {
    /// The child of the target that starts them, for as long as the target lives.
    starter: Option<u32>,
    /// Time of all, clock ticks; `None` where there is none.
    first: Option<u64>,
    last: Option<u64>,
    /// That of children of the target that are below none of its ports.
    beside: Option<Beside>,
    next: Option<Instant>,
    /// The time that each is known to have used, clock ticks, and its place in `ports`.
    programs: HashMap<u32, (u64, Option<usize>)>,
    ports: Vec<ProgramsOfPort>,
}

/// Readings of the processes beside the ports, clock ticks.
#[derive(Debug)]
struct Beside {
    first: u64,
    /// Without what others brought.
    most: u64,
    /// The time that processes had used before they were below the target: their parents have ended.
    brought: u64,
    /// At the last reading: when that was, after boot, and the processes there were, with the time they started.
    at: u64,
    there: HashSet<(u32, u64)>,
}

/// One reading: the time of all, clock ticks, and the programs that run.
#[derive(Debug)]
struct Seen {
    ticks: u64,
    programs: Vec<(u32, TreeUse)>,
}

impl Seen {
    fn below(proc: &ProcFs, starter: u32) -> Option<Self> {
        let of_ended = proc.cpu_ticks_with_children(starter)?;
        let pids = proc.children(starter).ok()?.into_iter();
        let programs: Vec<_> = pids
            .filter_map(|pid| Some((pid, proc.use_of_tree(pid)?)))
            .collect();
        let ticks = programs.iter().map(|(_, used)| used.cpu_ticks);
        Some(Self {
            ticks: ticks.fold(of_ended, u64::saturating_add),
            programs,
        })
    }
}

impl PortPrograms {
    fn is_known(&self, pid: u32) -> bool {
        self.programs.contains_key(&pid)
    }

    /// Takes in a reading. `name_of` is the port of a program that was not seen before.
    fn take_in(&mut self, seen: &Seen, mut name_of: impl FnMut(u32) -> PortName) {
        let is_first = self.first.is_none();
        self.first = self.first.or(Some(seen.ticks));
        // It falls when a program ends whose parent has ended before it.
        self.last = self.last.max(Some(seen.ticks));
        let mut rss_bytes = [0_u64; MOST_PORTS];
        for (pid, used) in &seen.programs {
            if !self.is_known(*pid) && self.programs.len() < MOST_PROGRAMS {
                let before = if is_first { used.cpu_ticks } else { 0 };
                let port = self.port(name_of(*pid));
                self.programs.insert(*pid, (before, port));
            }
            let Some((ticks, Some(port))) = self.programs.get_mut(pid) else {
                continue;
            };
            let Some(of_port) = self.ports.get_mut(*port) else {
                continue;
            };
            let more = used.cpu_ticks.saturating_sub(*ticks);
            *ticks += more;
            of_port.cpu_ms += more.saturating_mul(TICK_MS);
            if let Some(sum) = rss_bytes.get_mut(*port) {
                *sum = sum.saturating_add(used.rss_bytes);
            }
        }
        for (port, sum) in self.ports.iter_mut().zip(rss_bytes) {
            port.rss_bytes = port.rss_bytes.max(sum);
        }
    }

    /// Takes in a reading of the children below no port, that began so many clock ticks after boot.
    fn take_in_beside(&mut self, seen: &BesidePorts, at: u64) {
        let running = seen.running.iter();
        let ticks = running.fold(seen.ended_ticks, |sum, it| sum.saturating_add(it.cpu_ticks));
        let beside = self.beside.get_or_insert_with(|| Beside {
            first: ticks,
            most: ticks,
            brought: 0,
            at: 0,
            there: HashSet::new(),
        });
        for it in &seen.running {
            // One that was somewhere else then.
            let is_known = beside.there.contains(&(it.pid, it.start_ticks));
            if !is_known && it.start_ticks <= beside.at {
                beside.brought = beside.brought.saturating_add(it.cpu_ticks);
            }
        }
        beside.most = beside.most.max(ticks.saturating_sub(beside.brought));
        beside.at = at;
        let there = seen.running.iter().map(|it| (it.pid, it.start_ticks));
        beside.there = there.collect();
    }

    fn beside_ms(&self) -> Option<u64> {
        let beside = self.beside.as_ref()?;
        let used = beside.most.saturating_sub(beside.first);
        Some(used.saturating_mul(TICK_MS))
    }

    /// The place of a port with these names.
    fn port(&mut self, (name, owner): PortName) -> Option<usize> {
        let mut ports = self.ports.iter();
        let known = ports.position(|it| it.name == name && it.owner == owner);
        if known.is_none() && self.ports.len() < MOST_PORTS {
            self.ports.push(ProgramsOfPort {
                name,
                owner,
                ..ProgramsOfPort::default()
            });
            return Some(self.ports.len() - 1);
        }
        known
    }

    /// Used from the first reading to the last, milliseconds; `None` where it was not read.
    fn used_ms(&self) -> Option<u64> {
        let ticks = self.last?.saturating_sub(self.first?);
        Some(ticks.saturating_mul(TICK_MS))
    }

    fn by_port(&self) -> Vec<ProgramsOfPort> {
        let mut ports = self.ports.clone();
        ports.shared_sort_by(|a, b| (b.cpu_ms, b.rss_bytes).cmp(&(a.cpu_ms, a.rss_bytes)));
        ports.truncate(MOST_REPORTED);
        ports
    }
}

impl Recording {
    /// Finds what starts the programs below the target's ports, and reads their time for the first time.
    pub(super) fn begin_port_programs(&mut self) {
        let starter = ProcFs::live().port_starter(self.pid);
        self.port_programs.starter = starter.ok().flatten();
        self.look_at_port_programs(true);
    }

    /// Reads the time and memory of the programs below the target's ports when it is time to; `now` whatever the time is.
    pub(super) fn look_at_port_programs(&mut self, now: bool) {
        let Some(starter) = self.port_programs.starter else {
            return;
        };
        let next = self.port_programs.next;
        if !now && next.is_some_and(|next| Instant::now() < next) {
            return;
        }
        let began_ns = sys::thread_cpu_ns();
        self.read_port_programs(starter);
        let took = Duration::from_nanos(sys::thread_cpu_ns().saturating_sub(began_ns));
        self.port_programs.next = Some(Instant::now() + LOOK_INTERVAL.max(took * REST));
    }

    fn read_port_programs(&mut self, starter: u32) {
        let proc = ProcFs::live();
        // Another process may have its number after it has ended.
        if proc.parent(starter) != Some(self.pid) {
            return;
        }
        // Before that reading: what starts during it is no other's.
        let at = proc.uptime();
        let beside = proc.processes_beside_ports(self.pid, starter);
        if let Some((at, beside)) = at.zip(beside) {
            let at = at.as_millis() as u64 / TICK_MS;
            self.port_programs.take_in_beside(&beside, at);
        }
        let Some(seen) = Seen::below(&proc, starter) else {
            return;
        };
        let is_known = |(pid, _): &(u32, TreeUse)| self.port_programs.is_known(*pid);
        let mut ports = match seen.programs.iter().all(is_known) {
            true => HashMap::new(),
            false => {
                let found = self.look_again(AttachedVm::program_ports);
                found.and_then(Result::ok).unwrap_or_default()
            }
        };
        let namespaces = |pid| proc.status(pid).map(|it| it.namespace_pids).ok();
        let depth = namespaces(self.pid).map_or(0, |pids| pids.len());
        let pids = self.vm().pids;
        self.port_programs.take_in(&seen, |pid| {
            let for_vm = namespaces(pid).and_then(|all| all.get(depth.max(1) - 1).copied());
            let port = for_vm.and_then(|pid| ports.remove(&pid)).flatten();
            let owner = port.as_ref().and_then(|port| Some(pids?.text(port.owner?)));
            (port.map(|port| port.name), owner)
        });
    }

    /// The capture's record of it: the time from the beginning of the capture to the last reading, milliseconds.
    pub(super) fn port_programs_ms(&self) -> Option<u64> {
        self.port_programs.used_ms()
    }

    /// The same of children of the target that are below none of its ports.
    pub(super) fn beside_ports_ms(&self) -> Option<u64> {
        self.port_programs.beside_ms()
    }

    /// The same by port and owner, as far as programs ran at a reading.
    pub(super) fn programs_by_port(&self) -> Vec<ProgramsOfPort> {
        self.port_programs.by_port()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use target_proc::descendants::ProcessUse;

    fn seen(ticks: u64, programs: &[(u32, u64, u64)]) -> Seen {
        let used = |(pid, cpu_ticks, rss_bytes): &(u32, u64, u64)| {
            let used = TreeUse {
                cpu_ticks: *cpu_ticks,
                rss_bytes: *rss_bytes,
                processes: 1,
            };
            (*pid, used)
        };
        let programs = programs.iter().map(used).collect();
        Seen { ticks, programs }
    }

    fn owned_by(pid: u32) -> PortName {
        match pid {
            7 => (None, None),
            8 => (Some("sh".into()), Some("<0.8.0>".into())),
            _ => (Some("cat".into()), Some("<0.1.0>".into())),
        }
    }

    #[test]
    fn time_counts_from_the_first_reading_and_that_of_programs_that_are_gone_stands() {
        let mut programs = PortPrograms::default();
        assert_eq!(programs.used_ms(), None);
        programs.take_in(&seen(300, &[]), owned_by);
        assert_eq!(programs.used_ms(), Some(0), "known, and nothing");
        programs.take_in(&seen(342, &[]), owned_by);
        programs.take_in(&seen(310, &[]), owned_by);
        assert_eq!(programs.used_ms(), Some(420));
        assert_eq!(programs.by_port(), []);
    }

    #[test]
    fn time_below_no_port_counts_from_the_first_reading_too() {
        let mut programs = PortPrograms::default();
        assert_eq!(programs.beside_ms(), None);
        for (ticks, used_ms) in [(50, 0), (84, 340), (60, 340), (90, 400)] {
            programs.take_in_beside(&beside(ticks, &[]), 1000);
            assert_eq!(programs.beside_ms(), Some(used_ms));
        }
    }

    /// The time of ended ones; the number, start and time of each that runs.
    fn beside(ended_ticks: u64, running: &[(u32, u64, u64)]) -> BesidePorts {
        let running = running
            .iter()
            .map(|(pid, start_ticks, cpu_ticks)| ProcessUse {
                pid: *pid,
                start_ticks: *start_ticks,
                cpu_ticks: *cpu_ticks,
            });
        BesidePorts {
            ended_ticks,
            running: running.collect(),
        }
    }

    #[test]
    fn time_that_a_process_used_before_it_lost_its_parent_is_none_of_the_target() {
        let mut programs = PortPrograms::default();
        let mut at = |at, ended, running: &[(u32, u64, u64)]| {
            programs.take_in_beside(&beside(ended, running), at);
            programs.beside_ms()
        };
        assert_eq!(at(1000, 0, &[(7, 20, 500)]), Some(0));
        // One that the target started since then, and one that another has left.
        let two = [(7, 20, 501), (8, 1001, 30), (9, 40, 9000)];
        assert_eq!(at(1100, 0, &two), Some(310));
        let later = [(7, 20, 501), (8, 1001, 30), (9, 40, 9002)];
        assert_eq!(at(1200, 0, &later), Some(330));
        // It ends and is waited for; another one has its number.
        assert_eq!(at(1300, 9004, &[(7, 20, 501), (8, 1001, 30)]), Some(350));
        let reused = [(7, 20, 501), (8, 1150, 80)];
        assert_eq!(at(1400, 9034, &reused), Some(350));
    }

    #[test]
    fn programs_are_those_of_their_ports_and_one_without_a_port_is_of_none() {
        let mut programs = PortPrograms::default();
        let first = [(1, 1000, 5), (2, 50, 7), (7, 0, 1)];
        programs.take_in(&seen(0, &first), owned_by);
        // One begins, one ends, and one has used less than before, since it is another.
        let second = [(1, 1004, 50), (2, 51, 7), (8, 30, 9)];
        programs.take_in(&seen(0, &second), |pid| {
            assert_eq!(pid, 8, "the others are known");
            owned_by(pid)
        });
        programs.take_in(&seen(0, &[(8, 10, 11)]), owned_by);
        let of = |pid, cpu_ms, rss_bytes| {
            let (name, owner) = owned_by(pid);
            ProgramsOfPort {
                name,
                owner,
                cpu_ms,
                rss_bytes,
            }
        };
        let all = [of(8, 300, 11), of(1, 50, 57), of(7, 0, 1)];
        assert_eq!(programs.by_port(), all);
    }

    #[test]
    fn of_many_ports_the_largest_are_reported() {
        let mut programs = PortPrograms::default();
        let all: Vec<_> = (1..=500).map(|pid| (pid, 0, u64::from(pid))).collect();
        programs.take_in(&seen(0, &all), |pid| (Some(pid.to_string()), None));
        let reported = programs.by_port();
        assert_eq!(reported.len(), MOST_REPORTED);
        assert_eq!(reported[0].rss_bytes, MOST_PORTS as u64);
    }
}
