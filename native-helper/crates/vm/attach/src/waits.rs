//! Where the processes of an attached VM wait.

use erlang_stack::{StackWord, stack_words, walk};
use shared_map::{HashMap, HashSet};
use target_memory::{Range, TargetMemory, address_at, bytes_to_words, read_each, u64_at};
use vm_layout::{NIF_BEHIND_PROCESS, NIF_PROCESS, TableError};
use vm_processes::{
    Awaited, Entry, HeldReferences, Kept, Reference, Relatives, RestingStack, TimeLimit, Waiter,
    current_calls,
};
use vm_tables::schedulers::Scheduler;
use vm_tables::timers::{MessageTimer, TimerWheels};

use crate::error::AttachError;
use crate::vm::AttachedVm;

/// The result of reading one process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WaitLook {
    /// It has ended, or worked during the reading.
    Restless,
    /// It rested, and the contents of its stack are not a valid stack.
    Unproven,
    /// It waits.
    Waits(Box<WaitingStack>),
}

/// Where a process waits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WaitingStack {
    /// Where it continues.
    pub goes_on_at: u64,
    /// Return addresses, the innermost first.
    pub callers: Vec<u64>,
    /// The outermost ones are missing: the stack is longer than the part that is read.
    pub is_cut: bool,
    /// The process, with the words of its innermost frame.
    pub waiter: Waiter,
}

/// A scheduler that runs a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RunningProcess {
    /// The scheduler.
    pub scheduler: Scheduler,
    /// Where the process has its struct.
    pub process: u64,
    /// It is in a NIF.
    pub is_in_nif: bool,
}

/// A scheduler that executes a port as a task, for no process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RunningPort {
    /// The scheduler.
    pub scheduler: Scheduler,
    /// Where the port has its struct.
    pub port: u64,
}

/// Where a process is that is in C code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StackInC {
    /// Its pid term.
    pub id: u64,
    /// The function that it notes as the one it is in.
    pub noted: Option<String>,
    /// Return addresses, the innermost first; none where they are not proven.
    pub callers: Vec<u64>,
}

/// Words of a frame that are read: no call has more variables.
const MAX_VARIABLES: usize = 64;

impl<M: TargetMemory> AttachedVm<M> {
    /// Where the processes at these places wait: some hundred at once.
    ///
    /// # Errors
    /// As for [`Self::processes`].
    pub fn waiting_stacks(&mut self, places: &[(u64, u64)]) -> Result<Vec<WaitLook>, AttachError> {
        let stacks = self.look(|vm| Ok(vm.process_reader()?.resting_stacks(places)))?;
        let looks = stacks.into_iter().map(|stack| match stack {
            None => WaitLook::Restless,
            Some(stack) => self.proven(stack),
        });
        Ok(looks.collect())
    }

    /// The processes that these waiting processes wait for in calls: some hundred at once.
    ///
    /// # Errors
    /// As for [`Self::processes`].
    pub fn awaited(&mut self, waiters: &[Waiter]) -> Result<Vec<Awaited>, AttachError> {
        self.look(|vm| Ok(vm.process_reader()?.awaited(waiters)))
    }

    /// The references in the frames in which these processes wait, in unknown calls: some hundred at once.
    ///
    /// # Errors
    /// As for [`Self::processes`].
    pub fn kept_references(&mut self, waiters: &[Waiter]) -> Result<Vec<Kept>, AttachError> {
        self.look(|vm| Ok(vm.process_reader()?.kept_references(waiters)))
    }

    /// The references of these calls, each with the pid term of the callee: some hundred at once.
    ///
    /// # Errors
    /// As for [`Self::processes`].
    pub fn call_references(
        &mut self,
        calls: &[(&Waiter, u64)],
    ) -> Result<Vec<Option<Reference>>, AttachError> {
        self.look(|vm| Ok(vm.process_reader()?.call_references(calls)))
    }

    /// The processes that the one at this place, with the pid term `id`, has links to and monitors on.
    ///
    /// # Errors
    /// As for [`Self::processes`].
    pub fn relatives(
        &mut self,
        place: (u64, u64),
        id: u64,
    ) -> Result<Option<Relatives>, AttachError> {
        self.look(|vm| Ok(vm.process_reader()?.relatives(place, id)))
    }

    /// Those of these references that the process at this place, with the pid term `id`, has.
    ///
    /// # Errors
    /// As for [`Self::processes`].
    pub fn held_references(
        &mut self,
        place: (u64, u64),
        id: u64,
        wanted: &HashSet<Reference>,
    ) -> Result<HeldReferences, AttachError> {
        self.look(|vm| Ok(vm.process_reader()?.held_references(place, id, wanted)))
    }

    /// The one of these `loaders` that each caller of the code server at this place waits for.
    ///
    /// # Errors
    /// As for [`Self::processes`].
    pub fn callers_of_loaders(
        &mut self,
        place: (u64, u64),
        loaders: &[u64],
    ) -> Result<HashMap<u64, u64>, AttachError> {
        self.look(|vm| Ok(vm.process_reader()?.callers_of_loaders(place, loaders)))
    }

    /// The pids that the waiting messages of these processes name: some hundred at once.
    ///
    /// # Errors
    /// As for [`Self::processes`].
    pub fn named_in_messages(
        &mut self,
        places: &[(u64, u64)],
    ) -> Result<Vec<HashSet<u64>>, AttachError> {
        self.look(|vm| Ok(vm.process_reader()?.named_in_messages(places)))
    }

    /// Which of these processes did nothing since their stacks were read: some hundred at once.
    ///
    /// # Errors
    /// As for [`Self::processes`].
    pub fn rest(&mut self, waiters: &[Waiter]) -> Result<Vec<bool>, AttachError> {
        self.look(|vm| Ok(vm.process_reader()?.rest(waiters)))
    }

    /// For which of the `busy` ports these processes wait, that are suspended in a call which sends or wait in it
    /// for the port's answer: some hundred at once.
    ///
    /// # Errors
    /// As for [`Self::processes`].
    pub fn awaited_ports(
        &mut self,
        waiters: &[Waiter],
        busy: impl Fn(u64) -> bool,
    ) -> Result<Vec<Awaited<u64>>, AttachError> {
        self.look(|vm| Ok(vm.process_reader()?.awaited_ports(waiters, &busy)))
    }

    /// The time limits of these waiting processes: some hundred at once.
    ///
    /// # Errors
    /// As for [`Self::processes`].
    pub fn time_limits(
        &mut self,
        entries: &[Entry],
    ) -> Result<Vec<Option<TimeLimit>>, AttachError> {
        self.look(|vm| Ok(vm.process_reader()?.time_limits(entries)))
    }

    /// Its timer wheels, or why they are not known.
    ///
    /// # Errors
    /// As for [`Self::processes`].
    pub fn timer_wheels(&mut self) -> Result<Result<TimerWheels, TableError>, AttachError> {
        self.look(|vm| Ok(TimerWheels::find(&vm.memory, &vm.schedulers)))
    }

    /// The time of each of them, in the order of its normal schedulers, milliseconds.
    ///
    /// # Errors
    /// As for [`Self::processes`], or they cannot be read.
    pub fn wheel_times(&mut self, wheels: &TimerWheels) -> Result<Vec<u64>, AttachError> {
        self.look(|vm| wheels.times(&vm.memory))
    }

    /// The timers of messages to which a scheduler has not come and whose time is over at `until`, milliseconds:
    /// [`TimerWheels::overdue`].
    ///
    /// # Errors
    /// As for [`Self::wheel_times`].
    pub fn overdue_timers(
        &mut self,
        wheels: &TimerWheels,
        scheduler: u32,
        until: u64,
    ) -> Result<Vec<MessageTimer>, AttachError> {
        self.look(|vm| wheels.overdue(&vm.memory, scheduler, until))
    }

    /// The processes that its schedulers run now, without schedulers that run none.
    ///
    /// # Errors
    /// As for [`Self::processes`].
    pub fn running(&mut self) -> Result<Vec<RunningProcess>, AttachError> {
        self.look(|vm| {
            let process = vm.layout.scheduler.current_process;
            let ranges = Range::at_each(
                vm.schedulers
                    .iter()
                    .map(|scheduler| scheduler.data.wrapping_add(process as u64)),
                NIF_BEHIND_PROCESS + 8,
            );
            let most_bytes = ranges.len() * (NIF_BEHIND_PROCESS + 8);
            let read = read_each(&vm.memory, &ranges, most_bytes).into_iter();
            let running = vm
                .schedulers
                .iter()
                .zip(read)
                .filter_map(|(scheduler, bytes)| {
                    let bytes = bytes?;
                    let process = u64_at(&bytes, 0).filter(|process| *process != 0)?;
                    let nif = u64_at(&bytes, NIF_BEHIND_PROCESS)?;
                    let of_nif = address_at(nif, NIF_PROCESS).ok();
                    let of_nif = of_nif.and_then(|at| vm.memory.read_u64(at).ok());
                    Some(RunningProcess {
                        scheduler: *scheduler,
                        process,
                        is_in_nif: of_nif == Some(process),
                    })
                });
            Ok(running.collect())
        })
    }

    /// The ports that its schedulers execute now as tasks. A process that calls a port runs it itself:
    /// [`Self::running`] has that.
    ///
    /// # Errors
    /// As for [`Self::processes`].
    pub fn running_ports(&mut self) -> Result<Vec<RunningPort>, AttachError> {
        self.look(|vm| {
            let layout = &vm.layout.scheduler;
            let first = layout.current_process.min(layout.current_port);
            let last = layout.current_process.max(layout.current_port);
            let len_bytes = last - first + 8;
            let ranges = Range::at_each(
                vm.schedulers
                    .iter()
                    .map(|scheduler| scheduler.data.wrapping_add(first as u64)),
                len_bytes,
            );
            let read = read_each(&vm.memory, &ranges, ranges.len() * len_bytes);
            let running = vm.schedulers.iter().zip(read);
            let running = running.filter_map(|(scheduler, bytes)| {
                let bytes = bytes?;
                let process = u64_at(&bytes, layout.current_process - first)?;
                let port = u64_at(&bytes, layout.current_port - first)?;
                (process == 0 && port != 0).then_some(RunningPort {
                    scheduler: *scheduler,
                    port,
                })
            });
            Ok(running.collect())
        })
    }

    /// Where the process with this struct is, which is in C code and does nothing: the caller knows that the thread
    /// that runs it sleeps. `None` for one that continued.
    ///
    /// # Errors
    /// As for [`Self::processes`].
    pub fn stack_in_c(&mut self, process: u64) -> Result<Option<StackInC>, AttachError> {
        let read = self.look(|vm| {
            let reader = vm.process_reader()?;
            let stack = reader.stack_in_c(process);
            Ok(stack.map(|stack| {
                let noted = current_calls(reader.memory, reader.atoms, &[stack.entry]);
                (noted.into_iter().next().flatten(), stack)
            }))
        })?;
        Ok(read.map(|(noted, stack)| {
            let id = stack.entry.id;
            let callers = match self.proven(stack) {
                WaitLook::Waits(stack) => stack.callers,
                WaitLook::Restless | WaitLook::Unproven => Vec::new(),
            };
            StackInC { id, noted, callers }
        }))
    }

    /// A stack counts when every word of it is a term or leads to code, and it ends as all do.
    fn proven(&self, stack: RestingStack) -> WaitLook {
        let RestingStack {
            entry,
            words,
            is_cut,
        } = stack;
        let rules = self.code.vm_words().rules(entry.stop, entry.hend);
        let is_code = |address: u64| self.code.function_at(address.wrapping_sub(1)).is_some();
        let mut frames = Vec::new();
        let end = walk(&rules, bytes_to_words(&words), is_code, &mut frames);
        match end.stray_words == 0 && end.complete != is_cut {
            true => WaitLook::Waits(Box::new(WaitingStack {
                goes_on_at: entry.i,
                callers: frames.iter().map(|frame| frame.return_address).collect(),
                is_cut,
                waiter: Waiter {
                    entry,
                    variables: variables(stack_words(&rules, bytes_to_words(&words), is_code)),
                },
            })),
            false => WaitLook::Unproven,
        }
    }
}

/// The variables of the innermost frame: the terms above the first return address, also that of a traced call, below
/// which are those of the tracing. A process that has not called a function yet has no other frame.
fn variables(words: impl Iterator<Item = (u64, StackWord)>) -> Vec<u64> {
    let of_frame = words.map_while(|(_, word)| match word {
        StackWord::Variable(term) => Some(Some(term)),
        StackWord::SavedFramePointer | StackWord::Stray(_) => Some(None),
        StackWord::Frame(_)
        | StackWord::TraceReturn
        | StackWord::EarlyBottom
        | StackWord::Bottom => None,
    });
    of_frame.flatten().take(MAX_VARIABLES).collect()
}

#[cfg(test)]
mod tests {
    use erlang_stack::{TraceReturns, VmWords};

    use super::*;

    const TOP: u64 = 0x7000;
    const EXIT: u64 = 0xe000;
    const RETURN_TRACE: u64 = 0xe100;
    const PID: u64 = 0x2d03;
    const TRACER: u64 = 0x4d03;
    const REFERENCE: u64 = 0x9002;

    /// Of a stack of which these are the upper words.
    fn variables_of(words: &[u64]) -> Vec<u64> {
        let vm_words = VmWords {
            normal_exit: EXIT,
            traces: TraceReturns::new([(RETURN_TRACE, true)]),
            frame_pointers: true,
        };
        let rules = vm_words.rules(TOP, TOP + 0x1000);
        let is_code = |address: u64| address >> 12 == 0xc;
        variables(stack_words(&rules, words.iter().copied(), is_code))
    }

    #[test]
    fn the_terms_above_the_first_return_address_are_the_variables() {
        let words = [REFERENCE, PID, TOP + 0x40, 0xc010, TRACER, 0xc020];
        assert_eq!(variables_of(&words), [REFERENCE, PID]);
        assert!(variables_of(&[0xc010, PID]).is_empty());
        assert!(variables_of(&[]).is_empty());
        // It has not called a function yet.
        assert_eq!(variables_of(&[PID, 0, EXIT, TRACER]), [PID]);
        // A stray is none, and does not hide those below it.
        assert_eq!(variables_of(&[0x5000, PID, 0xc010]), [PID]);
    }

    #[test]
    fn terms_of_the_tracing_are_no_variables_of_the_traced_function() {
        let words = [PID, RETURN_TRACE, 0xc0e8, TRACER, REFERENCE, 0xc010];
        assert_eq!(variables_of(&words), [PID]);
        assert!(variables_of(&[RETURN_TRACE, 0xc0e8, TRACER, 0xc010]).is_empty());
    }

    #[test]
    fn so_many_variables_are_read_at_most() {
        assert_eq!(variables_of(&[PID; 100]), [PID; MAX_VARIABLES]);
    }
}
