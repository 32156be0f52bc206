//! The holder of the lock of mnesia that a process waits for.
//!
//! The process `mnesia_locker` grants all locks of a node. Its private table `mnesia_tid_locks` has an object for each
//! lock, `{{Tid, {Table, Key}, read | write}}`, and for each request that waits, `{{Tid, {Table, Key}, {queued, _}}}`.
//! `Tid` is `{tid, Counter, Pid}`: a transaction, and its process. A whole table has a key of its own.
//!
//! A request waits while a lock on the same record or the whole table does not go together with it, or behind a request
//! of a later transaction: of those that wait, the one of the latest transaction comes first, and one that still waits
//! holds back the others.

use erlang_terms::{Term, TermBlock, TermText};
use shared_map::HashSet;
use target_memory::TargetMemory;
use vm_tables::processes::is_local_pid;

use crate::awaited::Awaited;
use crate::relations::{Other, Relation, other};

/// The name of the process that grants locks.
pub const LOCKER: &str = "mnesia_locker";
/// Its table of locks and requests.
pub const LOCKS_TABLE: &str = "mnesia_tid_locks";
/// In the place of a key.
const WHOLE_TABLE: &str = "______WHOLETABLE_____";

/// The mode of a lock or a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LockMode {
    /// Together with others that read.
    Read,
    /// Alone.
    Write,
}

/// A lock that a process waits for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lock {
    /// A process that has to be done first.
    pub by: Other,
    /// It has no such lock yet: its own request comes first.
    pub is_ahead: bool,
    /// How many processes have a lock that does not go together with this one; of requests 1.
    pub holders: u64,
    /// On a record of this table, or all of it.
    pub table: String,
    /// The shape of the record's key; `None` for the whole table.
    pub key: Option<String>,
    /// The mode that the process wants.
    pub mode: LockMode,
}

/// A lock that is granted, or a request.
struct Entry {
    /// Transactions have them in the order in which they began.
    counter: i64,
    /// A term.
    pid: u64,
    /// The identity of the pid.
    process: Vec<u64>,
    /// An atom.
    table: u64,
    key: Key,
    mode: LockMode,
    is_queued: bool,
}

/// The locked part of a table.
enum Key {
    Whole,
    Record {
        term: u64,
        /// `None` when it cannot be compared.
        identity: Option<Vec<u64>>,
    },
}

/// The lock that each of these processes waits for, and so the process it waits for. `objects` is all of
/// [`LOCKS_TABLE`], and of one moment.
pub fn locks_awaited<M: TargetMemory>(
    text: &mut TermText<'_, M>,
    objects: &[TermBlock],
    waiters: &[u64],
) -> Vec<Awaited<Lock>> {
    // An object that is none of mnesia's: then this is not known at all.
    let entries: Option<Vec<Entry>> = objects.iter().map(|it| entry(text, it)).collect();
    let mut entries = entries.unwrap_or_default();
    let queued = entries.iter().filter(|it| it.is_queued);
    let tables: HashSet<u64> = queued.map(|it| it.table).collect();
    // Only then: a binary takes some reads.
    for (entry, block) in entries.iter_mut().zip(objects) {
        if let Key::Record { term, identity } = &mut entry.key
            && tables.contains(&entry.table)
        {
            *identity = text.identity(block, *term);
        }
    }
    let awaited = waiters.iter().map(|waiter| {
        let lock = awaited(&entries, *waiter).and_then(|found| found.lock(text));
        lock.map_or(Awaited::Unproven, Awaited::One)
    });
    awaited.collect()
}

fn entry<M: TargetMemory>(text: &mut TermText<'_, M>, block: &TermBlock) -> Option<Entry> {
    let [key] = *block.first_tuple()? else {
        return None;
    };
    let [tid, what, operation] = *block.tuple(key)? else {
        return None;
    };
    let [tag, counter, pid] = *block.tuple(tid)? else {
        return None;
    };
    let [table, key] = block.tuple(what)? else {
        return None;
    };
    let (Term::Atom(_), Term::Small(counter)) = (Term::of(*table), Term::of(counter)) else {
        return None;
    };
    let is_queued = block.tuple(operation).map(|queued| match queued {
        [tag, wanted] if is_atom(text, *tag, "queued") => Some(*wanted),
        _ => None,
    });
    let operation = match is_queued {
        Some(wanted) => wanted?,
        None => operation,
    };
    let mode = mode(text, block, operation)?;
    let key = match is_atom(text, *key, WHOLE_TABLE) {
        true => Key::Whole,
        false => Key::Record {
            term: *key,
            identity: None,
        },
    };
    let process = match Term::of(pid) {
        Term::Pid(_) => vec![pid],
        _ => block.boxed(pid)?.to_vec(),
    };
    is_atom(text, tag, "tid").then_some(Entry {
        counter,
        pid,
        process,
        table: *table,
        key,
        mode,
        is_queued: is_queued.is_some(),
    })
}

/// `read`, `write`, `read_write`, `{ix_read, _, _}`.
fn mode<M: TargetMemory>(
    text: &mut TermText<'_, M>,
    block: &TermBlock,
    operation: u64,
) -> Option<LockMode> {
    let name = block
        .tuple(operation)
        .map_or(Some(&operation), |it| it.first());
    let name = text.atoms.name(text.memory, *name?).ok()?;
    match name {
        "read" | "ix_read" => Some(LockMode::Read),
        "write" | "read_write" => Some(LockMode::Write),
        _ => None,
    }
}

fn is_atom<M: TargetMemory>(text: &mut TermText<'_, M>, word: u64, name: &str) -> bool {
    text.atoms
        .name(text.memory, word)
        .is_ok_and(|it| it == name)
}

/// The wanted lock, and the process that has to be done first.
struct Found<'e> {
    wanted: &'e Entry,
    by: &'e Entry,
    holders: u64,
}

fn awaited<'e>(entries: &'e [Entry], waiter: u64) -> Option<Found<'e>> {
    let is_own = |entry: &&Entry| entry.process == [waiter];
    let mut wanted = entries.iter().filter(|it| it.is_queued).filter(is_own);
    let wanted = wanted.next().filter(|_| wanted.next().is_none())?;
    let of_table = entries.iter().filter(|it| it.table == wanted.table);
    let mut others: Vec<&Entry> = Vec::new();
    for other in of_table.filter(|it| !is_own(it)) {
        if wanted.meets(other)? {
            others.push(other);
        }
    }
    let (queued, held): (Vec<&Entry>, Vec<&Entry>) =
        others.into_iter().partition(|it| it.is_queued);
    let conflicts = |it: &&&Entry| [it.mode, wanted.mode].contains(&LockMode::Write);
    let holders = held.iter().filter(conflicts).copied();
    if let Some(first) = holders.clone().min_by_key(|it| it.counter) {
        let processes: HashSet<&[u64]> = holders.map(|it| it.process.as_slice()).collect();
        return Some(Found {
            wanted,
            by: first,
            holders: processes.len() as u64,
        });
    }
    // All of them are requests that wait; a request for a whole table does not wait for the requests for its
    // records.
    let is_ahead = |it: &&Entry| {
        let comes_first = !wanted.is_whole() || it.is_whole();
        it.counter > wanted.counter && comes_first
    };
    let ahead: Vec<&Entry> = queued.into_iter().filter(is_ahead).collect();
    let last = ahead.iter().map(|it| it.counter).max()?;
    let mut latest = ahead.into_iter().filter(|it| it.counter == last);
    // Two nodes may count the same.
    let by = latest.next().filter(|_| latest.next().is_none())?;
    Some(Found {
        wanted,
        by,
        holders: 1,
    })
}

impl Entry {
    fn is_whole(&self) -> bool {
        matches!(self.key, Key::Whole)
    }

    /// Whether both are about the same record, or one about all of them; `None` when that is not known.
    fn meets(&self, other: &Self) -> Option<bool> {
        match (&self.key, &other.key) {
            (Key::Record { identity: one, .. }, Key::Record { identity: two, .. }) => {
                Some(one.as_ref()? == two.as_ref()?)
            }
            _ => Some(true),
        }
    }
}

impl Found<'_> {
    fn lock<M: TargetMemory>(&self, text: &mut TermText<'_, M>) -> Option<Lock> {
        let relation = Relation {
            other: self.by.pid,
            ..Relation::default()
        };
        let by = other(text.memory, text.atoms, relation)
            .filter(|by| !matches!(by, Other::Here(id) if !is_local_pid(*id)))?;
        let table = text.atoms.name(text.memory, self.wanted.table).ok()?;
        Some(Lock {
            by,
            is_ahead: self.by.is_queued,
            holders: self.holders,
            table: table.to_owned(),
            key: match self.wanted.key {
                Key::Whole => None,
                Key::Record { term, .. } => Some(text.shape(term)),
            },
            mode: self.wanted.mode,
        })
    }
}

#[cfg(test)]
mod tests;
