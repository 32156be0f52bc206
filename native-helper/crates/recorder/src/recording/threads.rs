//! The target's threads and mappings, as they come and go.

use std::collections::HashSet;
use std::os::fd::OwnedFd;
use std::time::Instant;

use bpf_engine::{BpfEngine, CStacks, ThreadFacts};
use perf_ring::{EventSettings, OpenError};
use permitted_target::{AccessError, PermittedTarget};
use target_proc::{Mapping, ProcError, ProcFs, ProcRights};
use vm_tables::schedulers::{Scheduler, SchedulerKind, scheduler_of_thread_name};

use super::{LEAST_STACK_BYTES, Recording, TargetState};
use crate::error::RecordError;
use crate::read::plan::{ReadPlan, ThreadRole};

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
        // After what was read by its number. That a file of it cannot be opened says nothing about it.
        if has_changed(&self.target)? {
            return Ok(TargetState::Gone);
        }
        let alive: HashSet<u32> = ids.iter().copied().collect();
        self.events.retain(&alive);
        if ids.iter().any(|tid| self.events.should_try(*tid)) {
            self.add_threads(&proc_fs)?;
        }
        self.refresh_mappings(&proc_fs);
        Ok(TargetState::Alive)
    }

    pub(super) fn add_threads(&mut self, proc_fs: &ProcFs) -> Result<(), RecordError> {
        let threads = match proc_fs.threads(self.pid) {
            Ok(threads) => threads,
            Err(ProcError::NoSuchProcess { .. }) => return Ok(()),
            Err(error) => return Err(error.into()),
        };
        let mappings = self.target.within(|| proc_fs.maps(self.pid));
        let mappings = mappings.unwrap_or_default();
        let mut plan = ReadPlan::clone(&self.plan.get());
        for thread in &threads {
            if let Some(role) = role_of(&self.resolver.vm.schedulers, &mappings, &thread.comm) {
                plan.roles.insert(thread.tid, role);
            }
        }
        // The readers have to know a scheduler before its first sample arrives.
        self.plan.replace(plan);
        // If there is not room for all, schedulers come first.
        let role = |tid| self.plan.get().roles.get(&tid).copied();
        let mut threads = threads;
        threads.sort_by_key(|thread| match role(thread.tid) {
            Some(ThreadRole::Normal { .. }) => 0,
            Some(ThreadRole::Dirty { .. }) => 1,
            None => 2,
        });
        let kept = self.keep_descriptors();
        for thread in threads {
            if self.events.has(thread.tid) {
                continue;
            }
            self.resolver.name_thread(thread.tid, thread.comm);
            let added = match &kept {
                Some(_) => self.add_thread(thread.tid),
                None => Err(OpenError::TooManyFiles.into()),
            };
            if let Err(error) = added {
                self.events.refused(thread.tid, error);
            }
        }
        Ok(())
    }

    fn add_thread(&mut self, tid: u32) -> Result<(), RecordError> {
        let settings = self.settings_for(tid);
        // Programs and events are opened and joined here, by numbers alone.
        let rights = self.target.clone();
        let _raised = rights.raise_to_sample();
        self.tell_program(tid)?;
        let program = self.program.as_ref();
        let target = &self.target;
        self.events.add(
            &settings,
            tid,
            (&self.outputs, program, self.rate.weight()),
            |tid| target.has_thread(tid),
        )
    }

    /// The kernel need not copy what the program does.
    fn settings_for(&self, tid: u32) -> EventSettings {
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
    pub(super) fn tell_program(&self, tid: u32) -> Result<(), RecordError> {
        let (Some(program), Some(role)) = (&self.program, self.plan.get().roles.get(&tid).copied())
        else {
            return Ok(());
        };
        let facts = match role {
            ThreadRole::Normal {
                data, registers, ..
            } => ThreadFacts {
                scheduler: data,
                registers,
            },
            ThreadRole::Dirty { data } => ThreadFacts {
                scheduler: data,
                registers: 0,
            },
        };
        Ok(program.add_thread(tid, facts)?)
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

fn role_of(
    schedulers: &[Scheduler],
    mappings: &[Mapping],
    thread_name: &str,
) -> Option<ThreadRole> {
    let (kind, number) = scheduler_of_thread_name(thread_name)?;
    let scheduler = schedulers
        .iter()
        .find(|s| s.kind == kind && s.number == number)?;
    Some(match kind {
        SchedulerKind::Normal => ThreadRole::Normal {
            data: scheduler.data,
            registers: scheduler.registers,
            c_stack_low: c_stack_low(mappings, scheduler.registers),
        },
        SchedulerKind::DirtyCpu | SchedulerKind::DirtyIo => ThreadRole::Dirty {
            data: scheduler.data,
        },
    })
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
