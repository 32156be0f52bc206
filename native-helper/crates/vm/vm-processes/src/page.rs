//! A page of the process table: some processes from a place on.

use erlang_terms::TermText;
use shared_sort::SharedSort;
use target_memory::{Range, TargetMemory, read_each};
use vm_layout::process_details::ProcessDetails;
use vm_layout::{ProcessLayout, TableError};
use vm_tables::atoms::AtomTable;
use vm_tables::pids::PidFormat;
use vm_tables::processes::{MAX_PROCESS_BYTES, ProcessTable};

use crate::binaries::{Held, MessageLimits, binary_bytes, held_binaries};
use crate::buffers::buffered;
use crate::dictionary::{DictionaryFacts, facts_of};
use crate::entry::{Entry, Fault};
use crate::names::{call_text, current_calls, registered_names};
use crate::outside::outside;
use crate::status::rests;

/// Processes of a page at most.
pub const MAX_PAGE: usize = 1000;
/// How often a struct that is no process is read, if its place in the table still has a process.
const LOOKS: u32 = 3;
/// How often the dictionaries of processes that moved their data at each look are read, by themselves: a process that
/// works collects its garbage some thousand times a second, and such a reading takes some ten microseconds.
const LOOKS_AT_DICTIONARIES: u32 = 16;

/// The data needed to read processes.
#[derive(Debug)]
pub struct ProcessReader<'a, M> {
    /// Memory of the VM.
    pub memory: &'a M,
    /// Its process table.
    pub table: ProcessTable,
    /// Where processes have their fields.
    pub layout: ProcessLayout,
    /// And the others.
    pub details: &'static ProcessDetails,
    /// How it makes pids.
    pub pids: PidFormat,
    /// Its atoms.
    pub atoms: &'a mut AtomTable,
}

/// The facts that were read of one process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProcessFacts {
    /// Its fields.
    pub entry: Entry,
    /// Registered name, quoted where it has to be.
    pub name: Option<String>,
    /// Whether its dictionary was read; else label, ancestors and bytes of it are not known, and the initial call
    /// is the one of its struct.
    pub is_dictionary_known: bool,
    /// Its label.
    pub label: Option<String>,
    /// Whether `label` is all there is to know: else it may have one that could not be read.
    pub is_label_known: bool,
    /// The function it was started with: by `proc_lib`'s note, else by the call itself.
    pub initial_call: Option<String>,
    /// The function that the process notes; valid where its program counter is in the emulator's own
    /// code.
    pub current_call: Option<String>,
    /// Its ancestors as `proc_lib` notes them, the nearest first: pid terms, and atoms of registered names.
    pub ancestors: Vec<u64>,
    /// Bytes of the table that its dictionary is.
    pub dictionary_bytes: u64,
    /// Bytes of its links and monitors, those that others have set on it among them.
    pub relation_bytes: u64,
    /// Bytes of the messages that wait for it, with their contents outside of its heap.
    pub message_bytes: u64,
    /// Bytes of it, see [`Entry::memory_bytes`].
    pub memory_bytes: u64,
    /// Whether the three above are whole: else there may be more.
    pub is_memory_whole: bool,
    /// Bytes of the binaries it holds outside of its heap, each once.
    pub binary_bytes: Option<u64>,
}

/// Entries of the table that are no processes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Rejected {
    /// They ended while the page was read.
    pub freed: u32,
    /// They contradicted themselves each time they were read.
    pub torn: u32,
}

/// The structs of a page, without the data they point at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EntryPage {
    /// The processes, in the order of the table.
    pub entries: Vec<Entry>,
    /// The entries that were left out.
    pub rejected: Rejected,
    /// The place where the next page begins, when there is one.
    pub next: Option<u64>,
}

/// A page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    /// The processes, in the order of the table.
    pub processes: Vec<ProcessFacts>,
    /// The entries that were left out.
    pub rejected: Rejected,
    /// The place where the next page begins, when there is one.
    pub next: Option<u64>,
}

impl<M: TargetMemory> ProcessReader<'_, M> {
    /// The page of up to `limit` processes from the place `first` on.
    ///
    /// # Errors
    /// When the table cannot be read, or no entry of a whole page makes sense.
    pub fn page(&mut self, first: u64, limit: usize) -> Result<Page, TableError> {
        let EntryPage {
            entries,
            rejected,
            next,
        } = self.entry_page(first, limit)?;
        Ok(Page {
            processes: self.facts_of(entries),
            rejected,
            next,
        })
    }

    /// The structs of that page only.
    ///
    /// # Errors
    /// As for [`Self::page`].
    pub fn entry_page(&self, first: u64, limit: usize) -> Result<EntryPage, TableError> {
        let limit = limit.clamp(1, MAX_PAGE);
        let occupied = self.table.occupied_from(self.memory, first, limit)?;
        let (entries, rejected) = self.entries(&occupied.places)?;
        // The VM's own processes are the first ones, and rest. Further on a page may have a few that never do.
        if first == 0 && entries.is_empty() && rejected.torn > 0 {
            return Err(TableError::malformed(
                "processes",
                format!("{} of them, and all contradict themselves", rejected.torn),
            ));
        }
        Ok(EntryPage {
            entries,
            rejected,
            next: occupied.next,
        })
    }

    /// The process at a place and address; `None` when it is none by now.
    pub fn entry(&self, place: (u64, u64)) -> Option<Entry> {
        self.entry_or_fault(place).ok()
    }

    /// The process at a place and address, or why its struct is none. One that is torn is alive and at work.
    ///
    /// # Errors
    /// It has ended, or contradicts itself.
    pub fn entry_or_fault(&self, place: (u64, u64)) -> Result<Entry, Fault> {
        self.look(&[place]).pop().unwrap_or(Err(Fault::Freed))
    }

    /// The structs at these places that are processes.
    fn entries(&self, places: &[(u64, u64)]) -> Result<(Vec<Entry>, Rejected), TableError> {
        let mut rejected = Rejected::default();
        let mut entries = Vec::with_capacity(places.len());
        let mut left = places.to_vec();
        for look in 1..=LOOKS {
            let mut again = Vec::new();
            for (place, found) in left.iter().zip(self.look(&left)) {
                match found {
                    Ok(entry) => entries.push(entry),
                    Err(fault) => again.push((*place, fault)),
                }
            }
            left.clear();
            for ((slot, _), fault) in again {
                match (self.table.occupant(self.memory, slot)?, fault) {
                    (None, _) => rejected.freed += 1,
                    (Some(address), _) if look < LOOKS => left.push((slot, address)),
                    (Some(_), Fault::Freed) => rejected.freed += 1,
                    (Some(_), Fault::Torn) => rejected.torn += 1,
                }
            }
            if left.is_empty() {
                break;
            }
        }
        entries.shared_sort_by_key(|entry| entry.slot);
        Ok((entries, rejected))
    }

    /// One reading of each of these places.
    pub(crate) fn look(&self, places: &[(u64, u64)]) -> Vec<Result<Entry, Fault>> {
        let len_bytes = self.layout.read_bytes.min(MAX_PROCESS_BYTES);
        let ranges = Range::at_each(places.iter().map(|(_, address)| *address), len_bytes);
        let read = read_each(self.memory, &ranges, MAX_PAGE * MAX_PROCESS_BYTES);
        let one = |(place, bytes): (&(u64, u64), Option<Vec<u8>>)| {
            let bytes = bytes.ok_or(Fault::Freed)?;
            let entry = Entry::from_bytes(&self.layout, self.details, *place, &bytes);
            let entry = entry.ok_or(Fault::Torn)?;
            entry.check(self.pids).map(|()| entry)
        };
        let mut found: Vec<Result<Entry, Fault>> = places.iter().zip(read).map(one).collect();
        self.add_buffered(&mut found);
        found
    }

    /// Adds the messages that wait in buffers.
    fn add_buffered(&self, found: &mut [Result<Entry, Fault>]) {
        let mut with_buffers: Vec<&mut Entry> = found
            .iter_mut()
            .flatten()
            .filter(|entry| entry.buffers != 0)
            .collect();
        let arrays: Vec<u64> = with_buffers.iter().map(|entry| entry.buffers).collect();
        let read = buffered(self.memory, &arrays);
        for (entry, buffered) in with_buffers.iter_mut().zip(read) {
            match buffered {
                Some(buffered) => entry.mailbox += buffered.messages,
                None => entry.is_mailbox_whole = false,
            }
        }
    }

    /// Another reading of the same processes; `None` for those that no longer exist.
    pub(crate) fn look_again(&self, entries: &[Entry]) -> Vec<Option<Entry>> {
        let places: Vec<(u64, u64)> = entries.iter().map(|it| (it.slot, it.address)).collect();
        self.look(&places).into_iter().map(Result::ok).collect()
    }

    /// The facts about these processes, in the order of the table. Processes that moved their data during
    /// the reading are read again. At most [`MAX_PAGE`] at once.
    pub fn facts_of(&mut self, entries: Vec<Entry>) -> Vec<ProcessFacts> {
        let mut settled = Vec::with_capacity(entries.len());
        let mut left = entries;
        for look in 1..=LOOKS {
            let mut again = Vec::new();
            for (facts, after) in self.facts(&left) {
                match after {
                    Some(after) if look < LOOKS && has_moved(&facts.entry, &after) => {
                        again.push(after);
                    }
                    _ => settled.push(facts),
                }
            }
            left = again;
            if left.is_empty() {
                break;
            }
        }
        self.read_dictionaries(&mut settled);
        settled.shared_sort_by_key(|facts| facts.entry.slot);
        settled
    }

    /// Reads the dictionaries that are not known yet.
    fn read_dictionaries(&mut self, all: &mut [ProcessFacts]) {
        for _ in 0..LOOKS_AT_DICTIONARIES {
            let left = all.iter_mut().filter(|facts| !facts.is_dictionary_known);
            let left: Vec<&mut ProcessFacts> = left.collect();
            if left.is_empty() {
                return;
            }
            let entries: Vec<Entry> = left.iter().map(|facts| facts.entry).collect();
            let now = self.look_again(&entries);
            let known = left.into_iter().zip(now);
            let (left, entries): (Vec<&mut ProcessFacts>, Vec<Entry>) = known
                .filter_map(|(facts, now)| Some((facts, now?)))
                .filter(|(facts, now)| facts.entry.id == now.id)
                .unzip();
            let noted = self.dictionaries(&entries);
            let after = self.look_again(&entries);
            for (((facts, before), noted), after) in
                left.into_iter().zip(entries).zip(noted).zip(after)
            {
                if after.is_some_and(|after| after.keeps_terms_of(&before)) {
                    facts.take(noted);
                }
            }
        }
    }

    /// The facts in the dictionaries of these processes, if nothing moved during the look.
    fn dictionaries(&mut self, entries: &[Entry]) -> Vec<DictionaryFacts> {
        let mut text = TermText {
            memory: self.memory,
            atoms: self.atoms,
            pids: self.pids,
            binary: self.details.binary,
            heap: self.details.heap,
        };
        facts_of(&mut text, entries)
    }

    /// The binaries that these processes and the messages that wait for them hold, each with the process as it was
    /// then. Missing processes worked at every reading, ended, or hold more than can be read.
    pub fn held_binaries(
        &self,
        entries: Vec<Entry>,
        limits: &mut MessageLimits,
    ) -> Vec<(Entry, Held)> {
        let look = |entries: &[Entry]| self.look_again(entries);
        let format = self.details.binary;
        let mut found = Vec::with_capacity(entries.len());
        let mut left = entries;
        for _ in 0..LOOKS {
            let mut again = Vec::new();
            let held = held_binaries(self.memory, format, &left, Some(limits), look);
            for (entry, held) in left.into_iter().zip(held) {
                match held {
                    Some(held) => found.push((entry, held)),
                    None => again.push(entry),
                }
            }
            left = self.look_again(&again).into_iter().flatten().collect();
            if left.is_empty() {
                break;
            }
        }
        found
    }

    /// The data that these processes point at, as far as a second reading proves that they were there
    /// all the time, and that second reading.
    fn facts(&mut self, entries: &[Entry]) -> Vec<(ProcessFacts, Option<Entry>)> {
        let (memory, details) = (self.memory, self.details);
        let mut names = registered_names(memory, self.atoms, entries).into_iter();
        let mut calls = current_calls(memory, self.atoms, entries).into_iter();
        let mut noted = self.dictionaries(entries).into_iter();
        let after = self.look_again(entries);
        // Their lists may be long, so they are checked separately.
        let look = |entries: &[Entry]| self.look_again(entries);
        let mut binaries = held_binaries(memory, details.binary, entries, None, look).into_iter();
        let outside = outside(memory, details, entries);
        let facts = entries.iter().zip(after).zip(outside);
        let facts = facts.map(|((entry, after), outside)| {
            let keeps_terms = after.is_some_and(|after| after.keeps_terms_of(entry));
            let rested = after.is_some_and(|after| after.rested_since(entry));
            let noted = noted.next().filter(|_| keeps_terms);
            let mut facts = ProcessFacts {
                entry: *entry,
                name: names.next().flatten(),
                is_dictionary_known: false,
                label: None,
                is_label_known: false,
                initial_call: call_text(memory, self.atoms, entry.initial_call),
                current_call: calls.next().flatten().filter(|_| rested),
                ancestors: Vec::new(),
                dictionary_bytes: 0,
                relation_bytes: outside.relation_bytes,
                message_bytes: outside.message_bytes,
                memory_bytes: entry.memory_bytes(
                    &self.layout,
                    details,
                    outside.relation_bytes.saturating_add(outside.message_bytes),
                ),
                is_memory_whole: outside.is_whole && keeps_terms,
                binary_bytes: binaries
                    .next()
                    .flatten()
                    .map(|it| binary_bytes(&it.binaries)),
            };
            noted.into_iter().for_each(|noted| facts.take(noted));
            (facts, after)
        });
        facts.collect()
    }
}

impl ProcessFacts {
    /// Takes the facts of its dictionary.
    fn take(&mut self, noted: DictionaryFacts) {
        self.is_dictionary_known = true;
        self.is_label_known = noted.is_whole || noted.label.is_some();
        self.label = noted.label;
        self.initial_call = noted.initial_call.or_else(|| self.initial_call.take());
        self.ancestors = noted.ancestors;
        self.dictionary_bytes = noted.table_bytes;
        self.memory_bytes = self.memory_bytes.saturating_add(noted.table_bytes);
    }
}

/// Whether another reading may find more of a process: its terms were moved, or it rests by now and did
/// not.
fn has_moved(before: &Entry, after: &Entry) -> bool {
    !after.keeps_terms_of(before) || (rests(after.state) && !after.rested_since(before))
}
