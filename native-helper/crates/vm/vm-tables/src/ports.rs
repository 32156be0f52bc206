//! The ports of a VM, and the bytes that wait in them to be written.

use std::cmp::Reverse;

use shared_map::HashMap;
use shared_sort::SharedSort;
use target_memory::{Range, TargetMemory, address_at, read_each, u32_at, u64_at};
use vm_layout::TableError;
use vm_layout::emulator_image::is_pointer;
use vm_layout::ports::{FLAG_BUSY, FLAG_BUSY_QUEUE, PORT};

use crate::atoms::{AtomTable, quoted};
use crate::pids::PidFormat;
use crate::processes::{ProcessTable, is_local_pid};

/// Ports that are looked at; the queues of a VM with more are not counted.
pub const MAX_PORTS: usize = 1 << 17;
/// Ports that are listed one by one.
const MOST_REPORTED: usize = 20;
/// Busy ports that are returned for finding the causes of waits.
const MOST_BUSY: usize = 10_000;
/// Ports of one read.
const CHUNK: usize = 500;
/// More than any driver can hold.
const MAX_QUEUE_BYTES: u64 = 1 << 44;
const MAX_NAME_BYTES: u64 = 64;
const PAGE_BYTES: u64 = 4096;
/// Bytes of a port's struct that are read.
const PORT_BYTES: usize = PORT.os_pid + 8;
/// The largest that Linux gives.
const MAX_OS_PID: u32 = 1 << 22;
const TAG_BITS: u64 = 0xf;
const PORT_TAG: u64 = 7;

/// How a VM makes the terms of its ports, which is how it makes pids, in a table of another size.
///
/// # Errors
/// The table of ports cannot be read.
pub fn port_format(
    memory: &impl TargetMemory,
    table: ProcessTable,
    pids: PidFormat,
) -> Result<PidFormat, TableError> {
    Ok(match pids {
        PidFormat::SlotAbove => PidFormat::SlotAbove,
        PidFormat::SlotInside { .. } => PidFormat::SlotInside {
            slot_bits: table.slots(memory)?.ilog2(),
        },
    })
}

/// One port.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Port {
    /// Its number, as in `#Port<0.4>`.
    pub number: u64,
    /// The first word of its name: of a program it is the program.
    pub name: String,
    /// Pid term of its owner, if it is a pid.
    pub owner: Option<u64>,
    /// Bytes that wait in its driver, `queue_size` of `erlang:port_info/2`.
    pub queue_bytes: u64,
    /// Bytes it has read.
    pub in_bytes: u64,
    /// Bytes it was given to write.
    pub out_bytes: u64,
    /// Processes that send to it are suspended.
    pub is_busy: bool,
}

/// Facts about a port in its own struct.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct PortFacts {
    /// Its id, a term.
    pub id: u64,
    /// Pid term of its owner, if it is a pid.
    pub owner: Option<u64>,
    /// Where its driver is described.
    pub driver: u64,
}

impl PortFacts {
    /// From the first [`PORT`]`.read_bytes` of the struct; `None` when they are no port's.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let word = |offset| u64_at(bytes, offset);
        let id = word(PORT.id)?;
        let owner = word(PORT.owner)?;
        (id & TAG_BITS == PORT_TAG).then_some(Self {
            id,
            owner: is_local_pid(owner).then_some(owner),
            driver: word(PORT.driver)?,
        })
    }

    /// The name of its driver: `tcp_inet`. Drivers stay where they are as long as a port has them.
    pub fn driver_name(&self, memory: &impl TargetMemory, atoms: &mut AtomTable) -> Option<String> {
        let name = address_at(self.driver, PORT.driver_name as u64).ok()?;
        let name = memory.read_u64(name).ok()?;
        // Of a damaged description, no atom.
        AtomTable::index_of_term(name)?;
        Some(quoted(atoms.name(memory, name).ok()?))
    }
}

/// The bytes that wait in all of them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PortQueues {
    /// How many have bytes that wait, or are busy.
    pub with_queue: u64,
    /// Bytes that wait in all of them.
    pub queue_bytes: u64,
    /// Those of them with the longest queues, the longest first.
    pub longest: Vec<Port>,
    /// Entries of the table that are no ports by now, or contradict themselves.
    pub rejected: u64,
}

/// The fields read of a port before its name.
struct Entry {
    id: u64,
    name: u64,
    owner: u64,
    os_pid: u64,
    port: Port,
}

/// The bytes that wait in the ports of `table`. `pids` is how the VM makes pids: ports are made
/// alike.
///
/// # Errors
/// The table cannot be read, has too many ports, or its elements are none.
pub fn port_queues(
    memory: &impl TargetMemory,
    table: ProcessTable,
    pids: PidFormat,
) -> Result<PortQueues, TableError> {
    let mut all = PortQueues::default();
    let (seen, rejected) = each(memory, table, pids, |entry, format| {
        all.add(memory, entry, format);
    })?;
    all.rejected = rejected;
    match seen == 0 && all.rejected > 0 {
        true => Err(TableError::malformed("ports", "its entries are no ports")),
        false => Ok(all),
    }
}

/// The ports of `table` that suspend their senders, by their ids; at most 10,000.
///
/// # Errors
/// As for [`port_queues`].
pub fn busy_ports(
    memory: &impl TargetMemory,
    table: ProcessTable,
    pids: PidFormat,
) -> Result<HashMap<u64, Port>, TableError> {
    let mut busy = HashMap::new();
    each(memory, table, pids, |entry, format| {
        if entry.port.is_busy && busy.len() < MOST_BUSY {
            let id = entry.id;
            busy.insert(id, entry.whole(memory, format));
        }
    })?;
    Ok(busy)
}

/// Ports that are called the same and are one process's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PortKind {
    /// The first word of their names.
    pub name: String,
    /// Pid term of whose they are, if it is a pid.
    pub owner: Option<u64>,
    /// How many there are.
    pub ports: u64,
}

/// The ports of `table` by name and owner, the most first.
///
/// # Errors
/// As for [`port_queues`].
pub fn port_kinds(
    memory: &impl TargetMemory,
    table: ProcessTable,
    pids: PidFormat,
) -> Result<Vec<PortKind>, TableError> {
    let mut found: Vec<(u64, Option<u64>)> = Vec::new();
    each(memory, table, pids, |entry, _| {
        let owner = is_local_pid(entry.owner).then_some(entry.owner);
        found.push((entry.name, owner));
    })?;
    let mut kinds: HashMap<(String, Option<u64>), u64> = HashMap::new();
    for chunk in found.chunks(CHUNK) {
        let ranges: Vec<Range> = chunk.iter().map(|(name, _)| name_range(*name)).collect();
        let names = read_each(memory, &ranges, CHUNK * MAX_NAME_BYTES as usize);
        for ((_, owner), name) in chunk.iter().zip(names) {
            let name = first_word(&name.unwrap_or_default());
            *kinds.entry((name, *owner)).or_default() += 1;
        }
    }
    let kinds = kinds.into_iter();
    let mut kinds: Vec<PortKind> = kinds
        .map(|((name, owner), ports)| PortKind { name, owner, ports })
        .collect();
    kinds.shared_sort_by(|a, b| (b.ports, &a.name, a.owner).cmp(&(a.ports, &b.name, b.owner)));
    Ok(kinds)
}

/// The ports of `table` that are pipes to programs, by the pids that the programs have for the VM; at most 10,000. `None`
/// where several ports have one: it belongs to none of them for certain.
///
/// # Errors
/// As for [`port_queues`].
pub fn program_ports(
    memory: &impl TargetMemory,
    table: ProcessTable,
    pids: PidFormat,
) -> Result<HashMap<u32, Option<Port>>, TableError> {
    let mut programs = HashMap::new();
    each(memory, table, pids, |entry, format| {
        let os_pid = u32::try_from(entry.os_pid).unwrap_or(0);
        if (1..=MAX_OS_PID).contains(&os_pid) && programs.len() < MOST_BUSY {
            let port = entry.whole(memory, format);
            let one = programs.entry(os_pid);
            one.and_modify(|it| *it = None).or_insert(Some(port));
        }
    })?;
    Ok(programs)
}

/// Hands out the fields of each port that are read before its name; returns how many there were, and how many entries
/// are none.
fn each(
    memory: &impl TargetMemory,
    table: ProcessTable,
    pids: PidFormat,
    mut found: impl FnMut(Entry, PidFormat),
) -> Result<(u64, u64), TableError> {
    let format = port_format(memory, table, pids)?;
    let places = table.occupied(memory, MAX_PORTS + 1)?;
    if places.len() > MAX_PORTS {
        return Err(TableError::malformed("ports", "there are too many"));
    }
    let (mut seen, mut rejected) = (0, 0);
    for chunk in places.chunks(CHUNK) {
        let ranges = Range::at_each(chunk.iter().map(|place| place.1), PORT_BYTES);
        let most_bytes = CHUNK * PORT_BYTES;
        for ((slot, _), bytes) in chunk.iter().zip(read_each(memory, &ranges, most_bytes)) {
            let entry = bytes.and_then(|bytes| Entry::from_bytes(&bytes));
            let Some(entry) = entry.filter(|entry| format.slot(entry.id) == *slot) else {
                rejected += 1;
                continue;
            };
            seen += 1;
            found(entry, format);
        }
    }
    Ok((seen, rejected))
}

impl PortQueues {
    fn add(&mut self, memory: &impl TargetMemory, entry: Entry, format: PidFormat) {
        if entry.port.queue_bytes == 0 && !entry.port.is_busy {
            return;
        }
        let port = entry.whole(memory, format);
        self.with_queue += 1;
        self.queue_bytes = self.queue_bytes.saturating_add(port.queue_bytes);
        let key = |port: &Port| (Reverse(port.queue_bytes), port.number);
        let longer = self.longest.partition_point(|one| key(one) <= key(&port));
        self.longest.insert(longer, port);
        self.longest.truncate(MOST_REPORTED);
    }
}

impl Entry {
    /// The port, with its name.
    fn whole(self, memory: &impl TargetMemory, format: PidFormat) -> Port {
        Port {
            number: format.port_number(self.id),
            name: name_at(memory, self.name),
            owner: is_local_pid(self.owner).then_some(self.owner),
            ..self.port
        }
    }

    /// `None` when that can be no port.
    fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let word = |offset| u64_at(bytes, offset);
        let id = word(PORT.id)?;
        let flags = u32_at(bytes, PORT.flags)?;
        let queue_bytes = word(PORT.queue_bytes)?;
        (id & TAG_BITS == PORT_TAG && queue_bytes < MAX_QUEUE_BYTES).then_some(Self {
            id,
            name: word(PORT.name)?,
            owner: word(PORT.owner)?,
            os_pid: word(PORT.os_pid)?,
            port: Port {
                number: 0,
                name: String::new(),
                owner: None,
                queue_bytes,
                in_bytes: word(PORT.bytes_in)?,
                out_bytes: word(PORT.bytes_out)?,
                is_busy: flags & (FLAG_BUSY | FLAG_BUSY_QUEUE) != 0,
            },
        })
    }
}

fn name_at(memory: &impl TargetMemory, address: u64) -> String {
    if !is_pointer(address, 1) {
        return String::new();
    }
    let Range { address, len_bytes } = name_range(address);
    let bytes = memory.read_vec(address, len_bytes, MAX_NAME_BYTES as usize);
    first_word(&bytes.unwrap_or_default())
}

/// No further than the page: the memory behind it need not be there.
fn name_range(address: u64) -> Range {
    Range {
        address,
        len_bytes: MAX_NAME_BYTES.min(PAGE_BYTES - address % PAGE_BYTES) as usize,
    }
}

/// The first word: the words after it are arguments of a program, which may be secrets.
fn first_word(bytes: &[u8]) -> String {
    let is_end = |byte: &u8| *byte == 0 || byte.is_ascii_whitespace();
    let end = bytes.iter().position(is_end).unwrap_or(bytes.len());
    String::from_utf8_lossy(bytes.get(..end).unwrap_or_default()).into_owned()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use target_memory::SnapshotMemory;

    use super::*;

    const TABLE: ProcessTable = ProcessTable { address: 0x1000 };

    /// A table of 16 places whose ports lie at 0x10000, 0x20000, …, each with id, queue and flags.
    fn vm(ports: &[(u64, u64, u64)]) -> SnapshotMemory {
        let mut memory = SnapshotMemory::new();
        let mut table = vec![0u64; 27];
        (table[17], table[24], table[26]) = (ports.len() as u64, 0x9000, 16);
        memory.map_words(0x1000, &table);
        let mut places = [0u64; 16];
        for (index, (id, queue, flags)) in ports.iter().enumerate() {
            let at = (index as u64 + 1) * 0x10_000;
            places[index] = at;
            let mut words = [0u64; PORT_BYTES / 8];
            words[PORT.id / 8] = *id;
            words[PORT.flags / 8] = *flags;
            words[PORT.queue_bytes / 8] = *queue;
            words[PORT.owner / 8] = 0x83;
            words[PORT.name / 8] = 0x70_0000;
            memory.map_words(at, &words);
        }
        memory.map_words(0x9000, &places);
        memory.map(0x70_0000, b"sh -c --password=x\0".to_vec());
        memory.map(0x70_0100, vec![0; 0x1000]);
        memory
    }

    fn id(slot: u64) -> u64 {
        slot << 32 | (slot + 3) << 4 | 7
    }

    #[test]
    fn those_with_a_queue_are_listed_the_longest_first() {
        let memory = vm(&[
            (id(0), 0, 0),
            (id(1), 5, 0),
            (id(2), 9, 0),
            (id(3), 0, 0x20),
        ]);
        let found = port_queues(&memory, TABLE, PidFormat::SlotAbove).unwrap();
        assert_eq!((found.with_queue, found.queue_bytes), (3, 14));
        let ports: Vec<_> = found
            .longest
            .iter()
            .map(|it| (it.number, it.is_busy))
            .collect();
        assert_eq!(ports, [(5, false), (4, false), (6, true)]);
        assert_eq!(found.longest[0].owner, Some(0x83));
    }

    #[test]
    fn busy_ones_are_found_by_their_ids() {
        let memory = vm(&[(id(0), 7, 0), (id(1), 0, 0x10), (id(2), 9, 0x20)]);
        let found = busy_ports(&memory, TABLE, PidFormat::SlotAbove).unwrap();
        let numbers = |id: &u64| found.get(id).map(|port| (port.number, port.queue_bytes));
        assert_eq!(found.len(), 2);
        assert_eq!(numbers(&id(1)), Some((4, 0)));
        assert_eq!(numbers(&id(2)), Some((5, 9)));
    }

    #[test]
    fn ports_of_one_name_and_owner_are_counted_together() {
        let mut memory = vm(&[(id(0), 0, 0), (id(1), 0, 0), (id(2), 0, 0)]);
        for (at, name) in [(0x70_0000, &b"sh -c x"[..]), (0x71_0000, b"tcp_inet")] {
            let mut page = name.to_vec();
            page.resize(4096, 0);
            memory.map(at, page);
        }
        // The second one is another driver's.
        let mut words = [0u64; PORT_BYTES / 8];
        words[PORT.id / 8] = id(1);
        words[PORT.owner / 8] = 0x93;
        words[PORT.name / 8] = 0x71_0000;
        memory.map_words(0x20_000, &words);
        let kinds = port_kinds(&memory, TABLE, PidFormat::SlotAbove).unwrap();
        let counts = kinds.iter().map(|it| (&*it.name, it.owner, it.ports));
        let expected = [("sh", Some(0x83), 2), ("tcp_inet", Some(0x93), 1)];
        assert_eq!(counts.collect::<Vec<_>>(), expected);
    }

    #[test]
    fn a_program_belongs_to_the_only_port_with_its_pid() {
        let mut memory = vm(&[
            (id(0), 0, 0),
            (id(1), 0, 0),
            (id(2), 0, 0),
            (id(3), 0, 0),
            (id(4), 0, 0),
        ]);
        let none = u64::MAX;
        for (index, os_pid) in [4711, none, 815, 815, 1 << 40].into_iter().enumerate() {
            let mut words = [0u64; PORT_BYTES / 8];
            words[PORT.id / 8] = id(index as u64);
            words[PORT.owner / 8] = 0x93;
            words[PORT.os_pid / 8] = os_pid;
            memory.map_words((index as u64 + 1) * 0x10_000, &words);
        }
        let mut programs = program_ports(&memory, TABLE, PidFormat::SlotAbove).unwrap();
        let port = programs.remove(&4711).flatten().unwrap();
        assert_eq!((port.number, port.owner), (3, Some(0x93)));
        assert_eq!(programs, HashMap::from([(815, None)]));
    }

    #[test]
    fn what_belongs_to_another_place_is_no_port() {
        let memory = vm(&[
            (id(0), 1, 0),
            (id(5), 1, 0),
            (3, 1, 0),
            (id(3), u64::MAX, 0),
        ]);
        let found = port_queues(&memory, TABLE, PidFormat::SlotAbove).unwrap();
        assert_eq!((found.with_queue, found.rejected), (1, 3));
        let none = vm(&[(id(9), 1, 0)]);
        assert!(port_queues(&none, TABLE, PidFormat::SlotAbove).is_err());
    }

    #[test]
    fn of_a_name_only_the_first_word_is_shown() {
        let mut memory = SnapshotMemory::new();
        let mut page = b"sh -c --password=x\0".to_vec();
        page.resize(4096, 0);
        memory.map(0x70_0000, page);
        assert_eq!(name_at(&memory, 0x70_0000), "sh");
        assert_eq!(name_at(&memory, 0x70_0ffe), "");
        assert_eq!(name_at(&memory, 0), "");
    }

    proptest! {
        #[test]
        fn garbage_is_no_port(bytes in prop::collection::vec(any::<u8>(), 0..600)) {
            if let Some(entry) = Entry::from_bytes(&bytes) {
                prop_assert!(entry.port.queue_bytes < MAX_QUEUE_BYTES);
            }
        }
    }
}
