//! Processes that are in C code in which their thread sleeps: a NIF or a BIF that waits for a disk, a pipe or a lock.
//!
//! No sample contains them, since they use no processor, and they do not rest, since a scheduler runs them. Two sources
//! prove the sleep: the scheduler's own data, which names the process, and the kernel, which reports at two readings
//! that the scheduler's thread sleeps and that it was not on a processor in between. The names of its C functions
//! decide nothing.

use std::time::{Duration, Instant};

use attach::{AttachError, AttachedVm, RunningProcess, StackInC};
use protocol::waits::SleepingInC;
use recorder::SchedulerThreads;
use shared_map::HashMap;
use shared_sort::SharedSort;
use target_proc::ProcFs;
use target_proc::activity::Sleep;
use vm_tables::schedulers::SchedulerKind;

use crate::processes::caller_name;
use crate::schedulers::id_of;

/// None of them returns, except for an argument that it refuses.
const HALT: [&str; 3] = ["erlang:halt/0", "erlang:halt/1", "erlang:halt/2"];

/// A shorter sleep is not reported: it may be for a lock.
pub(crate) const SHORTEST_SLEEP: Duration = Duration::from_millis(100);
/// Reported frames of one process.
const SHOWN_FRAMES: usize = 16;

/// The id and name of the thread of each scheduler.
type ThreadOfScheduler = HashMap<(SchedulerKind, u32), (u32, String)>;

/// Schedulers that run a process while their thread sleeps, each with the time since when that is
/// known.
#[derive(Debug, Default)]
pub(crate) struct SleepingThreads {
    asleep: HashMap<u64, Asleep>,
    threads: SchedulerThreads,
}

#[derive(Debug, Clone)]
struct Asleep {
    running: RunningProcess,
    thread_id: u32,
    thread_name: String,
    sleep: Sleep,
    since: Instant,
}

/// The processes that are in C code in which their threads sleep now. This takes longer than one reading only if a
/// scheduler that runs a process sleeps: [`SHORTEST_SLEEP`].
pub(crate) fn sleeping_now(vm: &mut AttachedVm) -> Result<Vec<InC>, AttachError> {
    let mut sleeping = SleepingThreads::default();
    sleeping.look(vm)?;
    if sleeping.is_empty() {
        return Ok(Vec::new());
    }
    std::thread::sleep(SHORTEST_SLEEP);
    let mut in_c = sleeping.long_asleep(vm)?;
    for it in &mut in_c {
        // Registered name or initial call.
        it.facts.name = vm.name_of_process(it.address).ok().flatten();
    }
    Ok(in_c)
}

/// A process in C, with its pid term.
#[derive(Debug, Clone)]
pub(crate) struct InC {
    pub id: u64,
    /// Where the process has its struct.
    pub address: u64,
    pub facts: SleepingInC,
    /// Return addresses below that function, the innermost first.
    pub callers: Vec<u64>,
    sleep: Sleep,
}

impl InC {
    /// Whether its thread still is in the same sleep.
    pub fn goes_on(&self, proc_fs: &ProcFs, pid: u32) -> bool {
        proc_fs.thread_sleep(pid, self.facts.thread_id) == Some(self.sleep)
    }
}

impl SleepingThreads {
    /// Reads the schedulers once more. A sleep that continues since an earlier reading keeps the
    /// time of that.
    pub fn look(&mut self, vm: &mut AttachedVm) -> Result<(), AttachError> {
        let pid = vm.process.pid;
        let proc_fs = ProcFs::live();
        let running = vm.running()?;
        let threads = match running.is_empty() {
            true => HashMap::new(),
            false => self.scheduler_threads(&proc_fs, vm)?,
        };
        let now = Instant::now();
        let asleep = running.into_iter().filter_map(|running| {
            let scheduler = running.scheduler;
            let (thread_id, thread_name) = threads.get(&(scheduler.kind, scheduler.number))?;
            let sleep = proc_fs.thread_sleep(pid, *thread_id)?;
            let before = self.asleep.get(&scheduler.data).filter(|before| {
                before.running == running && before.sleep == sleep && before.thread_id == *thread_id
            });
            sleep.is_asleep.then(|| Asleep {
                running,
                thread_id: *thread_id,
                thread_name: thread_name.clone(),
                sleep,
                since: before.map_or(now, |before| before.since),
            })
        });
        self.asleep = asleep.map(|it| (it.running.scheduler.data, it)).collect();
        // Threads of a frozen VM seem to sleep wherever they are: it must be known to run.
        if !self.is_empty() && proc_fs.standstill(pid) != Ok(None) {
            self.asleep.clear();
        }
        Ok(())
    }

    /// The thread of each normal scheduler, by its number, where that is proven.
    pub fn normal_threads(
        &mut self,
        vm: &mut AttachedVm,
    ) -> Result<HashMap<u32, u32>, AttachError> {
        let threads = self.scheduler_threads(&ProcFs::live(), vm)?.into_iter();
        let normal = threads.filter_map(|((kind, number), (tid, _))| {
            (kind == SchedulerKind::Normal).then_some((number, tid))
        });
        Ok(normal.collect())
    }

    /// The thread of each scheduler, where that is proven: its name alone may be another's.
    fn scheduler_threads(
        &mut self,
        proc_fs: &ProcFs,
        vm: &mut AttachedVm,
    ) -> Result<ThreadOfScheduler, AttachError> {
        let threads = proc_fs.threads(vm.process.pid).unwrap_or_default();
        let found = &mut self.threads;
        vm.look(|vm| {
            found.look_at(vm, &threads);
            Ok(())
        })?;
        let with_scheduler = threads.into_iter().filter_map(|thread| {
            let scheduler = found.get(thread.tid)?;
            let is_it = (scheduler.kind, scheduler.number);
            Some((is_it, (thread.tid, thread.comm)))
        });
        Ok(with_scheduler.collect())
    }

    /// Whether no scheduler that runs a process sleeps.
    pub fn is_empty(&self) -> bool {
        self.asleep.is_empty()
    }

    /// Those that sleep for some time already, each for as long at least; the longest first.
    pub fn long_asleep(&mut self, vm: &mut AttachedVm) -> Result<Vec<InC>, AttachError> {
        self.look(vm)?;
        if self.is_empty() {
            return Ok(Vec::new());
        }
        let long = |it: &&Asleep| it.since.elapsed() >= SHORTEST_SLEEP;
        let asleep: Vec<Asleep> = self.asleep.values().filter(long).cloned().collect();
        let mut found = Vec::new();
        for it in asleep {
            if let Some(stack) = vm.stack_in_c(it.running.process)? {
                found.push((it, stack));
            }
        }
        // The stacks belong to one moment if the threads still are in the same sleep.
        self.look(vm)?;
        found.retain(|(it, _)| {
            let now = self.asleep.get(&it.running.scheduler.data);
            now.is_some_and(|now| now.sleep == it.sleep && now.running == it.running)
        });
        found.shared_sort_by_key(|(it, _)| (it.since, it.thread_id));
        let pids = vm.look(|vm| vm.pid_format())?;
        let in_c = found.into_iter().map(|(it, stack)| {
            let StackInC { id, noted, callers } = stack;
            // The function that a process notes is the current one while a NIF or a dirty scheduler has the process;
            // else it may be an earlier one, except one that does not return.
            let is_noted =
                it.running.is_in_nif || it.running.scheduler.kind != SchedulerKind::Normal;
            let name = |address: &u64| caller_name(vm, *address);
            InC {
                id,
                address: it.running.process,
                sleep: it.sleep,
                facts: SleepingInC {
                    pid: pids.text(id),
                    name: None,
                    function: noted.filter(|noted| is_noted || is_halt(noted)),
                    stack: callers.iter().take(SHOWN_FRAMES).map(name).collect(),
                    scheduler: id_of(&it.running.scheduler),
                    thread_id: it.thread_id,
                    thread_name: it.thread_name,
                    seconds: it.since.elapsed().as_secs_f64(),
                },
                callers,
            }
        });
        Ok(in_c.collect())
    }
}
/// Whether this function ends the VM.
pub(crate) fn is_halt(function: &str) -> bool {
    HALT.contains(&function)
}
