//! The locks of mnesia that processes of an attached VM wait for, and the holders.
//!
//! They are in a private table, which only its owner changes: if the owner rested between two readings of it, the
//! data read in between are of one moment.

use erlang_terms::TermText;
use target_memory::TargetMemory;
use vm_layout::TableError;
use vm_memory::ets::{EtsLists, EtsTable, Protection, TableType};
use vm_memory::ordered_set::objects;
use vm_processes::{Awaited, Entry, LOCKS_TABLE, Lock, Waiter, locks_awaited};

use crate::error::AttachError;
use crate::vm::AttachedVm;

/// Most locks and requests of mnesia; for a node with more, the holders are not reported.
const MAX_LOCKS: usize = 1 << 17;
/// How often they are read while they change.
const LOCK_TRIES: usize = 20;

impl<M: TargetMemory> AttachedVm<M> {
    /// The locks of mnesia that these processes wait for, and so the processes that hold them: some hundred at once.
    /// `locker` is the place of the process that grants locks.
    ///
    /// # Errors
    /// As for [`Self::processes`].
    pub fn awaited_locks(
        &mut self,
        locker: (u64, u64),
        waiters: &[Waiter],
    ) -> Result<Vec<Awaited<Lock>>, AttachError> {
        self.look(|vm| {
            let Some(table) = vm.locks_table(locker) else {
                return Ok(vec![Awaited::Unproven; waiters.len()]);
            };
            for _ in 0..LOCK_TRIES {
                if let Some(awaited) = vm.locks_at_rest(locker, table, waiters)? {
                    return Ok(awaited);
                }
            }
            Ok(vec![Awaited::Moved; waiters.len()])
        })
    }

    /// Where the process at that place has its table of locks; `None` where it has none that can be read.
    fn locks_table(&mut self, locker: (u64, u64)) -> Option<u64> {
        let owner = self.process_reader().ok()?.entry(locker)?.id;
        let stride = self.layout.scheduler.stride;
        let lists = EtsLists::find(&self.memory, &self.schedulers, stride).ok()?;
        let all = lists.tables(&self.memory, &mut self.atoms).ok()?;
        let (memory, atoms) = (&self.memory, &mut self.atoms);
        let mut named = |table: &&EtsTable| {
            let name = atoms.name(memory, table.name);
            is_locks(table, owner) && name.is_ok_and(|it| it == LOCKS_TABLE)
        };
        let found = all.tables.iter().find(&mut named);
        found.map(|table| table.address)
    }

    /// The locks at one moment; `None` when the process that has them worked during the reading.
    fn locks_at_rest(
        &mut self,
        locker: (u64, u64),
        table: u64,
        waiters: &[Waiter],
    ) -> Result<Option<Vec<Awaited<Lock>>>, TableError> {
        let reader = self.process_reader()?;
        let Some(before) = reader.entry(locker) else {
            return Ok(None);
        };
        let objects = EtsTable::at(reader.memory, table)
            .filter(|table| is_locks(table, before.id))
            .and_then(|table| objects(reader.memory, &table, MAX_LOCKS));
        let asking: Vec<u64> = waiters.iter().map(|waiter| waiter.entry.id).collect();
        let mut text = TermText {
            memory: reader.memory,
            atoms: reader.atoms,
            pids: reader.pids,
            binary: reader.details.binary,
            heap: reader.details.heap,
        };
        let awaited = match objects {
            Some(objects) => locks_awaited(&mut text, &objects, &asking),
            None => vec![Awaited::Unproven; waiters.len()],
        };
        let reader = self.process_reader()?;
        let rests = |after: Entry| after.rested_since(&before);
        if !reader.entry(locker).is_some_and(rests) {
            return Ok(None);
        }
        let rested = reader.rest(waiters).into_iter();
        let awaited = awaited.into_iter().zip(rested);
        let awaited = awaited.map(|(awaited, rested)| match rested {
            true => awaited,
            false => Awaited::Moved,
        });
        Ok(Some(awaited.collect()))
    }
}

/// Whether only its owner can change this table of that owner, and it can be read as one tree.
fn is_locks(table: &EtsTable, owner: u64) -> bool {
    table.owner == owner
        && table.is_named
        && table.protection == Protection::Private
        && table.kind == TableType::OrderedSet
}
