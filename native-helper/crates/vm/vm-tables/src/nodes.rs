//! The nodes that a VM knows, connected or not.
//!
//! `erts_dist_table` is a hash table: shift at 72, number of objects at 88, buckets at 96. Its entries,
//! of which the VM itself has one, are in chains by their hash value, and each is in one of four lists as
//! well: visible, hidden, pending, not connected. The VM's own is among those not connected, as is the one it had
//! before it got its name; a variable points to the current one.

use shared_map::HashMap;
use shared_sort::SharedSort;
use target_memory::{TargetMemory, bytes_to_words, u32_at, u64_at};
use vm_layout::TableError;
use vm_layout::distribution::{
    DISTRIBUTION, FLAG_PUBLISHED, QUEUE_BUSY, STATE_CONNECTED, STATE_IDLE, STATE_PENDING,
    check_distribution, is_connection,
};
use vm_layout::emulator_image::is_pointer;

use crate::atoms::AtomTable;

mod suspended;

pub use suspended::suspended_processes;

const TABLE: &str = "table of nodes";
/// What a VM that has no name calls itself.
const NO_NAME: &str = "nonode@nohost";
/// More nodes than this no VM knows; their names fit in one message.
const MAX_NODES: u32 = 8192;
const MAX_SLOTS_SHIFT: u32 = 16;

/// How a node is connected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum NodeState {
    /// Connected, and other nodes learn of it.
    Visible,
    /// Connected, and no other node learns of it.
    Hidden,
    /// About to be.
    Pending,
    /// Not, or not any more.
    NotConnected,
}

/// Another node.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct OtherNode {
    /// `shop@host`.
    pub name: String,
    /// How it is connected.
    pub state: NodeState,
    /// The data that waits to be sent to it; `None` where that makes no sense.
    pub queue: Option<SendQueue>,
    /// Where the list of those that it keeps from sending may begin, or null.
    suspended: [u64; 2],
}

/// The data that waits to be sent to another node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct SendQueue {
    /// Bytes.
    pub bytes: u64,
    /// So much that senders are suspended.
    pub is_busy: bool,
}

/// What a VM knows of nodes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct KnownNodes {
    /// Its own name; `None` when it has none.
    pub own: Option<String>,
    /// The others, by name.
    pub others: Vec<OtherNode>,
}

/// `name@host`: exactly one `@`, something on both sides, and nothing that is no text.
pub fn is_node_name(text: &str) -> bool {
    let mut parts = text.split('@');
    let is_part = |part: Option<&str>| part.is_some_and(|part| !part.is_empty());
    let are_two = is_part(parts.next()) && is_part(parts.next()) && parts.next().is_none();
    are_two && !text.contains(char::is_control)
}

/// The figures in the head of the hash table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct TableHead {
    slots_shift: u32,
    objects: u32,
    buckets: u64,
}

impl TableHead {
    fn read(memory: &impl TargetMemory, table: u64) -> Result<Self, TableError> {
        let shift = memory.read_u32_at(table, 72)?;
        let objects = memory.read_u32_at(table, 88)?;
        let buckets = memory.read_u64_at(table, 96)?;
        // The hash value is 64 bits, of which the table uses the highest.
        let slots_shift = 64_u32.checked_sub(shift);
        match slots_shift.filter(|slots_shift| *slots_shift <= MAX_SLOTS_SHIFT) {
            Some(slots_shift) if (1..=MAX_NODES).contains(&objects) && is_pointer(buckets, 8) => {
                Ok(Self {
                    slots_shift,
                    objects,
                    buckets,
                })
            }
            _ => Err(TableError::malformed(
                TABLE,
                format!("{objects} nodes, a shift of {shift}"),
            )),
        }
    }
}

/// True when the hash table at `address` can be the one of nodes, by the figures in its head.
pub fn can_be_node_table(memory: &impl TargetMemory, address: u64) -> bool {
    TableHead::read(memory, address).is_ok()
}

/// The fields read of an entry.
struct Entry {
    address: u64,
    next: u64,
    previous: u64,
    name: u64,
    state: u32,
    flags: u64,
    queue: Option<SendQueue>,
    suspended: [u64; 2],
}

/// More than a VM can hold.
const MAX_QUEUE_BYTES: u64 = 1 << 44;

fn send_queue(entry: &[u8]) -> Option<SendQueue> {
    let flags = u32_at(entry, DISTRIBUTION.queue_flags)?;
    let bytes = u64_at(entry, DISTRIBUTION.queue_bytes)?;
    (bytes < MAX_QUEUE_BYTES).then_some(SendQueue {
        bytes,
        is_busy: flags & QUEUE_BUSY != 0,
    })
}

impl Entry {
    fn from_bytes(address: u64, bytes: &[u8]) -> Option<Self> {
        let word = |offset| u64_at(bytes, offset);
        let entry = Self {
            address,
            next: word(DISTRIBUTION.next)?,
            previous: word(DISTRIBUTION.previous)?,
            name: word(DISTRIBUTION.name)?,
            state: u32_at(bytes, DISTRIBUTION.state)?,
            flags: word(DISTRIBUTION.flags)?,
            queue: send_queue(bytes),
            suspended: [
                word(DISTRIBUTION.suspended[0])?,
                word(DISTRIBUTION.suspended[1])?,
            ],
        };
        is_connection(word(DISTRIBUTION.connection)?, entry.state).then_some(entry)
    }

    /// The queue of a node that can be sent to.
    fn shown_queue(&self) -> Option<SendQueue> {
        self.queue.filter(|_| self.state == STATE_CONNECTED)
    }

    fn is_published(&self) -> bool {
        self.flags & FLAG_PUBLISHED != 0
    }

    fn shown_state(&self) -> NodeState {
        match self.state {
            STATE_CONNECTED if self.is_published() => NodeState::Visible,
            STATE_CONNECTED => NodeState::Hidden,
            STATE_PENDING => NodeState::Pending,
            // One that is being given up sends nothing any more.
            _ => NodeState::NotConnected,
        }
    }

    /// True when the two can be neighbours in one list.
    fn is_of_list(&self, other: &Self) -> bool {
        let is_idle = |entry: &Self| matches!(entry.state, STATE_IDLE | STATE_PENDING);
        match is_idle(self) || is_idle(other) {
            true => self.state == other.state,
            // Connections that are being given up stay in their list until that is done.
            false => self.state != other.state || self.is_published() == other.is_published(),
        }
    }
}

/// An entry that may be the VM's own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IdleEntry {
    /// Where it is.
    pub address: u64,
    /// It is the first of those that are not connected: the variable for that list points to it.
    pub is_first: bool,
}

/// The nodes of the hash table at `address`; `own` returns which of the entries is the VM's own. A table that changes
/// while it is read is an error that passes.
///
/// # Errors
/// It cannot be read, or is not as it should be.
pub fn known_nodes(
    memory: &impl TargetMemory,
    address: u64,
    atoms: &mut AtomTable,
    own: impl Fn(&[IdleEntry]) -> Option<u64>,
) -> Result<KnownNodes, TableError> {
    let head = TableHead::read(memory, address)?;
    let (addresses, bytes) = chained(memory, head)?;
    if TableHead::read(memory, address)? != head {
        return Err(TableError::Unstable { table: TABLE });
    }
    let mut is_named: HashMap<u64, Option<String>> = HashMap::new();
    for entry in &bytes {
        let term = u64_at(entry, DISTRIBUTION.name).unwrap_or(0);
        is_named.insert(term, atoms.name(memory, term).ok().map(str::to_owned));
    }
    let mut is_node = |term: u64| {
        let name = is_named.entry(term).or_insert_with(|| {
            let is_atom = AtomTable::index_of_term(term).is_some();
            let name = is_atom.then(|| atoms.name(memory, term).ok().map(str::to_owned));
            name.flatten()
        });
        name.is_some()
    };
    check_distribution(&DISTRIBUTION, &bytes, &mut is_node)?;
    let entries: Option<Vec<Entry>> = addresses
        .iter()
        .zip(&bytes)
        .map(|(address, bytes)| Entry::from_bytes(*address, bytes))
        .collect();
    let entries = entries.ok_or_else(|| TableError::malformed(TABLE, "an entry is none"))?;
    check_lists(&entries)?;
    let name_of = |entry: &Entry| is_named.get(&entry.name).and_then(Option::as_deref);
    named(&entries, own(&idle(&entries)), name_of)
}

fn idle(entries: &[Entry]) -> Vec<IdleEntry> {
    let are_idle = entries.iter().filter(|entry| entry.state == STATE_IDLE);
    are_idle
        .map(|entry| IdleEntry {
            address: entry.address,
            is_first: entry.previous == 0,
        })
        .collect()
}

/// The entries of all chains: where they are, and their first bytes.
fn chained(
    memory: &impl TargetMemory,
    head: TableHead,
) -> Result<(Vec<u64>, Vec<Vec<u8>>), TableError> {
    let slots_bytes = 8_usize << head.slots_shift;
    let slots = memory.read_vec(head.buckets, slots_bytes, 8 << MAX_SLOTS_SHIFT)?;
    let (mut addresses, mut entries) = (Vec::new(), Vec::new());
    for first in bytes_to_words(&slots) {
        let mut address = first;
        while address != 0 {
            // A chain that bites its tail is longer than the table.
            if addresses.len() >= head.objects as usize {
                return Err(TableError::malformed(TABLE, "more entries than its count"));
            }
            if !is_pointer(address, 8) {
                return Err(TableError::malformed(TABLE, "a chain leads nowhere"));
            }
            let bytes_wanted = DISTRIBUTION.read_bytes;
            let bytes = memory.read_vec(address, bytes_wanted, bytes_wanted)?;
            addresses.push(address);
            address = u64_at(&bytes, 0).unwrap_or(0);
            entries.push(bytes);
        }
    }
    if addresses.len() < head.objects as usize {
        return Err(TableError::malformed(TABLE, "fewer entries than its count"));
    }
    Ok((addresses, entries))
}

/// Neighbours in a list know each other, and are of one kind.
fn check_lists(entries: &[Entry]) -> Result<(), TableError> {
    let by_address: HashMap<u64, &Entry> =
        entries.iter().map(|entry| (entry.address, entry)).collect();
    let holds = entries.iter().all(|entry| {
        let neighbour = |address: u64, back: fn(&Entry) -> u64| match address {
            0 => true,
            address => by_address
                .get(&address)
                .is_some_and(|other| back(other) == entry.address && entry.is_of_list(other)),
        };
        neighbour(entry.next, |other| other.previous)
            && neighbour(entry.previous, |other| other.next)
    });
    match holds {
        true => Ok(()),
        false => Err(TableError::malformed(TABLE, "its lists do not join")),
    }
}

/// Separates the own node from the others, all by their names.
fn named<'a>(
    entries: &'a [Entry],
    own: Option<u64>,
    name_of: impl Fn(&'a Entry) -> Option<&'a str>,
) -> Result<KnownNodes, TableError> {
    let is_own = |entry: &&Entry| entry.state == STATE_IDLE && Some(entry.address) == own;
    let own = entries.iter().find(is_own);
    let own_name = own
        .and_then(&name_of)
        .filter(|name| is_node_name(name))
        .ok_or_else(|| TableError::malformed(TABLE, "the VM itself has no name in it"))?;
    let mut others = Vec::with_capacity(entries.len());
    for entry in entries {
        let state = entry.shown_state();
        match name_of(entry).filter(|name| is_node_name(name)) {
            // The name of the VM before it got its own.
            Some(NO_NAME) => {}
            Some(name) if name == own_name => {}
            Some(name) => others.push(OtherNode {
                name: name.to_owned(),
                state,
                queue: entry.shown_queue(),
                suspended: entry.suspended,
            }),
            // Any atom may be the node of a term that came from elsewhere; nothing connects to it.
            None if state == NodeState::NotConnected => {}
            None => {
                let detail = "a connected node has a name that no node has";
                return Err(TableError::malformed(TABLE, detail));
            }
        }
    }
    others.shared_sort();
    Ok(KnownNodes {
        own: (own_name != NO_NAME).then(|| own_name.to_owned()),
        others,
    })
}

#[cfg(test)]
mod tests;
