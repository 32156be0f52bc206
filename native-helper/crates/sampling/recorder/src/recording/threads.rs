//! The target's threads and mappings, as they come and go.

use std::collections::{HashMap, HashSet};
use std::os::fd::OwnedFd;
use std::time::Instant;

use bpf_engine::{BpfEngine, CStacks, ThreadFacts, Trigger};
use capture::sample::SchedulerId;
use perf_ring::{EventSettings, OpenError};
use permitted_target::{AccessError, PermittedTarget};
use shared_sort::SharedSort;
use target_proc::threads::Thread;
use target_proc::{Mapping, ProcError, ProcFs, ProcRights};
use vm_tables::scheduler_waits::WaitWord;
use vm_tables::schedulers::{Scheduler, SchedulerKind};

use super::{LEAST_STACK_BYTES, Recording, TargetState};
use crate::error::RecordError;
use crate::read::plan::{ReadPlan, ThreadRole};
use crate::resolve::scheduler_id;
use crate::sys;

/// How far below its register block the C stack of a scheduler may reach.
const MAX_C_STACK_BYTES: u64 = 8 << 20;
/// Descriptors that events never take: looking at the target needs some, too.
const KEPT_DESCRIPTORS: usize = 16;

impl Recording {
    /// Looks for new threads and mappings, and whether the target is still there.
    pub(super) fn rescan(&mut self) -> Result<TargetState, RecordError> {
        self.last_rescan = Instant::now();
        self.cpus.look();
        let proc_fs = ProcFs::live();
        let ids = match proc_fs.thread_ids(self.pid) {
            Ok(ids) => ids,
            Err(ProcError::NoSuchProcess { .. }) => return Ok(TargetState::Gone),
            Err(error) => return Err(error.into()),
        };
        // Checked after everything that was read by its number. A file of it that cannot be opened
        // proves nothing.
        if has_changed(&self.target)? {
            return Ok(TargetState::Gone);
        }
        let alive: HashSet<u32> = ids.iter().copied().collect();
        // Without a clock, threads that are no schedulers have no events by which they are known.
        let has_more = !self.sources.cpu && !alive.is_subset(&self.alive);
        self.forget_ended(alive)?;
        self.refresh_names(&proc_fs);
        let should_try = |tid: &u32| {
            self.should_sample(*tid) || self.should_watch(*tid) || self.should_record_faults(*tid)
        };
        let is_new = has_more || ids.iter().any(should_try);
        if is_new || self.scheduler_threads.may_find_more() {
            self.add_threads(&proc_fs)?;
        }
        self.refresh_mappings(&proc_fs);
        self.look_whether_it_runs();
        Ok(TargetState::Alive)
    }

    pub(super) fn look_whether_it_runs(&mut self) {
        // Without any right of the helper: the target may have chosen the name of its control
        // group.
        let found = ProcFs::live().standstill(self.pid);
        self.standstill.look(found, Instant::now());
    }

    pub(super) fn add_threads(&mut self, proc_fs: &ProcFs) -> Result<(), RecordError> {
        let threads = match proc_fs.threads(self.pid) {
            Ok(threads) => threads,
            Err(ProcError::NoSuchProcess { .. }) => return Ok(()),
            Err(error) => return Err(error.into()),
        };
        let roles = self.roles(proc_fs, &threads);
        self.change_roles(roles)?;
        // If there is not room for all, schedulers come first.
        let role = |tid| self.plan.get().roles.get(&tid).copied();
        let mut threads = threads;
        threads.shared_sort_by_key(|thread| match role(thread.tid) {
            Some(ThreadRole::Normal { .. }) => 0,
            Some(ThreadRole::Dirty { .. }) => 1,
            None => 2,
        });
        let kept = self.keep_descriptors();
        let has_room = || match &kept {
            Some(_) => Ok(()),
            None => Err(RecordError::from(OpenError::TooManyFiles)),
        };
        let tids: Vec<u32> = threads.iter().map(|thread| thread.tid).collect();
        for thread in threads {
            let tid = thread.tid;
            self.name_thread(tid, thread.comm);
            if self.should_sample(tid)
                && let Err(error) = has_room().and_then(|()| self.add_thread(tid))
            {
                self.events.refused(tid, error);
            }
        }
        // Behind those of the clock: they take no descriptor from these.
        let by_role = tids.clone();
        for tid in tids {
            if self.should_watch(tid)
                && let Err(error) = has_room().and_then(|()| self.watch_thread(tid))
                && let Some(switches) = &mut self.switches
            {
                switches.events.refused(tid, error);
            }
        }
        for tid in by_role {
            if self.should_record_faults(tid)
                && let Err(error) = has_room().and_then(|()| self.add_faults(tid))
                && let Some(faults) = &mut self.faults
            {
                faults.events.refused(tid, error);
            }
        }
        Ok(())
    }

    /// Whether the processor time of a thread is to be sampled and is not, and this is the time to try it.
    fn should_sample(&self, tid: u32) -> bool {
        self.sources.cpu && self.events.should_try(tid)
    }

    /// Forgets threads that have ended: their numbers may become those of others.
    fn forget_ended(&mut self, alive: HashSet<u32>) -> Result<(), RecordError> {
        self.events.retain(&alive);
        self.thread_names.retain(&alive);
        self.scheduler_threads.retain(&alive);
        // Samples since the last look are yet to be resolved.
        let before = std::mem::replace(&mut self.alive, alive);
        self.unwatch_ended();
        if let Some(faults) = &mut self.faults {
            faults.events.retain(&self.alive);
        }
        let alive = &self.alive;
        self.resolver
            .retain_threads(|tid| alive.contains(&tid) || before.contains(&tid));
        let mut roles = self.plan.get().roles.clone();
        let roles_before = roles.len();
        roles.retain(|tid, _| alive.contains(tid));
        if roles.len() < roles_before {
            self.change_roles(roles)?;
        }
        Ok(())
    }

    fn refresh_names(&mut self, proc_fs: &ProcFs) {
        for tid in self.thread_names.due(self.last_rescan) {
            // One that has ended by now is forgotten at the next look.
            if let Ok(name) = proc_fs.thread_name(self.pid, tid) {
                self.name_thread(tid, name);
            }
        }
    }

    fn name_thread(&mut self, tid: u32, name: String) {
        let scheduler = self.scheduler_of(tid);
        if self.thread_names.note(tid, &name, self.last_rescan) {
            self.scheduler_threads.note_new_name();
        }
        self.resolver.name_thread(tid, name, scheduler);
    }

    /// The scheduler that a thread of the target is, by the VM's own tables.
    pub fn scheduler_of(&self, tid: u32) -> Option<SchedulerId> {
        let scheduler = self.scheduler_threads.get(tid)?;
        Some(scheduler_id(scheduler.kind, scheduler.number))
    }

    /// The word of the VM that shows whether the scheduler waits that is thread `tid`.
    fn wait_word(&self, tid: u32) -> Option<WaitWord> {
        let scheduler = self.scheduler_threads.get(tid)?;
        let (vm, queues) = (&self.resolver.vm, self.run_queues.as_ref());
        WaitWord::find(&vm.memory, &vm.layout, queues, scheduler)
    }

    /// The role of each of `threads`, if it is a scheduler.
    fn roles(&mut self, proc_fs: &ProcFs, threads: &[Thread]) -> HashMap<u32, ThreadRole> {
        let found = &mut self.scheduler_threads;
        found.look_at(&self.resolver.vm, threads);
        let mappings = self.target.within(|| proc_fs.maps(self.pid));
        let mappings = mappings.unwrap_or_default();
        let role = |thread: &Thread| Some((thread.tid, role_of(found.get(thread.tid)?, &mappings)));
        threads.iter().filter_map(role).collect()
    }

    /// From now on threads have these roles. The events of those that had another one are opened anew.
    fn change_roles(&mut self, roles: HashMap<u32, ThreadRole>) -> Result<(), RecordError> {
        let before = ReadPlan::clone(&self.plan.get());
        if before.roles == roles {
            return Ok(());
        }
        let data = |role: Option<&ThreadRole>| role.map(ThreadRole::data);
        let all: HashSet<u32> = before.roles.keys().chain(roles.keys()).copied().collect();
        let changed = |tid: &u32| data(before.roles.get(tid)) != data(roles.get(tid));
        let changed: Vec<u32> = all.into_iter().filter(changed).collect();
        for tid in &changed {
            self.events.close(*tid);
            self.unwatch_thread(*tid);
            if let Some(faults) = &mut self.faults {
                faults.events.close(*tid);
            }
        }
        // Samples of a new scheduler until now have no number; later ones have one.
        let now_ns = sys::monotonic_ns();
        let mut numbered_from_ns = before.numbered_from_ns.clone();
        numbered_from_ns.retain(|tid, _| roles.contains_key(tid));
        let is_new = |tid: &&u32| !before.roles.contains_key(*tid);
        numbered_from_ns.extend(changed.iter().filter(is_new).map(|tid| (*tid, now_ns)));
        // The readers have to know a scheduler before its first sample arrives.
        self.plan.replace(ReadPlan {
            waiting: roles
                .keys()
                .filter_map(|tid| Some((*tid, self.wait_word(*tid)?)))
                .collect(),
            numbered_from_ns,
            roles,
            ..before
        });
        for tid in changed {
            let _raised = self.target.raise_to_sample();
            if let (Some(program), Some(inner)) =
                (&self.program, self.known_to_program.remove(&tid))
            {
                program.forget_thread(inner)?;
            }
        }
        Ok(())
    }

    fn add_thread(&mut self, tid: u32) -> Result<(), RecordError> {
        let settings = self.settings_for(tid);
        // Programs and events are opened and joined here, by numbers alone.
        let rights = self.target.clone();
        let _raised = rights.raise_to_sample();
        self.add_to_program(tid)?;
        let program = self.program.as_ref();
        let program = program.map(|engine| (engine, Trigger::Clock));
        let target = &self.target;
        self.events.add(
            &settings,
            tid,
            (&self.outputs, program, self.rate.weight()),
            |tid| target.has_thread(tid),
            |_| Ok(()),
        )
    }

    /// The kernel need not copy what the program does.
    pub(super) fn settings_for(&self, tid: u32) -> EventSettings {
        let c_stacks = self.program.as_ref().map(BpfEngine::c_stacks);
        let role = self.plan.get().roles.get(&tid).copied();
        let stack_bytes = match (c_stacks, role) {
            (Some(CStacks::ByProgram), Some(ThreadRole::Normal { registers, .. }))
                if registers != 0 =>
            {
                LEAST_STACK_BYTES
            }
            _ => self.event_settings.stack_bytes,
        };
        EventSettings {
            stack_bytes,
            ..self.event_settings
        }
    }

    /// Holds some descriptors while events are opened, so that they are free afterwards; `None`
    /// when there are not even those.
    fn keep_descriptors(&self) -> Option<Vec<OwnedFd>> {
        let copies = (0..KEPT_DESCRIPTORS).map(|_| self.stop.try_clone().ok());
        copies.collect()
    }

    /// The program has to know a scheduler before its first sample.
    pub(super) fn add_to_program(&mut self, tid: u32) -> Result<(), RecordError> {
        let (Some(program), Some(role)) = (&self.program, self.plan.get().roles.get(&tid).copied())
        else {
            return Ok(());
        };
        let word = self.plan.get().waiting.get(&tid).copied();
        let facts = ThreadFacts {
            scheduler: role.data(),
            registers: match role {
                ThreadRole::Normal { registers, .. } => registers,
                ThreadRole::Dirty { .. } => 0,
            },
            waiting: word.map_or(0, |word| word.address),
            waiting_mask: word.map_or(0, |word| word.mask),
        };
        if let Some(inner) = program.add_thread(tid, facts)? {
            self.known_to_program.insert(tid, inner);
        }
        Ok(())
    }

    pub(super) fn refresh_mappings(&mut self, proc_fs: &ProcFs) {
        if let Ok(mappings) = self.target.within(|| proc_fs.maps(self.pid))
            && self.resolver.refresh_mappings(&mappings)
        {
            let mut plan = ReadPlan::clone(&self.plan.get());
            plan.runs_erlang = self.resolver.vm.runs_erlang().to_vec();
            self.plan.replace(plan);
        }
    }
}

/// Whether it has ended, or is no longer the process that was permitted.
fn has_changed(target: &PermittedTarget) -> Result<bool, RecordError> {
    match target.check() {
        Ok(()) => Ok(false),
        Err(AccessError::Changed { .. }) => Ok(true),
        Err(error) => Err(error.into()),
    }
}

fn role_of(scheduler: &Scheduler, mappings: &[Mapping]) -> ThreadRole {
    match scheduler.kind {
        SchedulerKind::Normal => ThreadRole::Normal {
            data: scheduler.data,
            registers: scheduler.registers,
            c_stack_low: c_stack_low(mappings, scheduler.registers),
        },
        SchedulerKind::DirtyCpu | SchedulerKind::DirtyIo => ThreadRole::Dirty {
            data: scheduler.data,
        },
    }
}

/// Where the stack that holds `registers` begins: Erlang heaps may lie right below it.
fn c_stack_low(mappings: &[Mapping], registers: u64) -> u64 {
    let holds = |mapping: &&Mapping| mapping.start <= registers && registers < mapping.end;
    let low = mappings.iter().find(holds).map(|mapping| mapping.start);
    low.unwrap_or(registers)
        .max(registers.saturating_sub(MAX_C_STACK_BYTES))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_heap_right_below_the_stack_is_not_stack() {
        let mapping = |start, end| Mapping {
            start,
            end,
            permissions: Default::default(),
            file_offset: 0,
            device: (0, 0),
            inode: 0,
            path: String::new(),
        };
        let mappings = [mapping(0x10_0000, 0x20_0000), mapping(0x20_1000, 0x30_0000)];
        assert_eq!(c_stack_low(&mappings, 0x2f_0000), 0x20_1000);
        // Not known: nothing but the block itself counts as stack.
        assert_eq!(c_stack_low(&[], 0x2f_0000), 0x2f_0000);
        let huge = [mapping(0x1000, 0x7000_0000_0000)];
        assert_eq!(
            c_stack_low(&huge, 0x6000_0000_0000),
            0x6000_0000_0000 - MAX_C_STACK_BYTES
        );
    }
}
