//! The processes that are watched, by their places in the VM's table.

use std::time::Instant;

use process_list::ListedProcess;
use shared_map::HashMap;
use vm_processes::Entry;

/// Bytes of a process outside of its struct and heaps.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct OutsideBytes {
    /// Of the table that its dictionary is.
    pub dictionary: u64,
    /// Of links and monitors.
    pub relations: u64,
    /// Of messages.
    pub messages: u64,
    /// They are complete.
    pub is_whole: bool,
}

impl OutsideBytes {
    pub fn bytes(&self) -> u64 {
        let all = [self.dictionary, self.relations, self.messages];
        all.into_iter().fold(0, u64::saturating_add)
    }
}

/// Facts kept about a process between snapshots, beside those in the list.
#[derive(Debug, Clone)]
pub(super) struct Kept {
    /// Its place in the VM's table.
    pub slot: u64,
    /// Its pid term.
    pub id: u64,
    pub address: u64,
    pub registered: u64,
    pub dictionary: u64,
    pub current: u64,
    /// Messages that waited, and where their lists began.
    pub mailbox: (u64, [u64; 3]),
    /// Bytes of it outside of its struct and heaps.
    pub outside: OutsideBytes,
    /// Its ancestors, until they are looked up.
    pub ancestors: Option<Vec<u64>>,
    /// When its struct was read.
    pub at: Instant,
    /// In which snapshot.
    pub look: u64,
}

impl Kept {
    /// The facts that its struct contains.
    pub fn of(entry: &Entry, at: Instant, look: u64) -> Self {
        Self {
            slot: entry.slot,
            id: entry.id,
            address: entry.address,
            registered: entry.registered,
            dictionary: entry.dictionary,
            current: entry.current,
            mailbox: (entry.mailbox, entry.mailbox_lists),
            outside: OutsideBytes::default(),
            ancestors: None,
            at,
            look,
        }
    }
}

/// All of them, in no order.
#[derive(Debug, Default)]
pub(super) struct Watched {
    kept: Vec<Kept>,
    /// One for each of `kept`.
    processes: Vec<ListedProcess>,
    by_slot: HashMap<u64, usize>,
}

impl Watched {
    pub fn processes(&self) -> &[ListedProcess] {
        &self.processes
    }

    /// Both of each, to be changed.
    pub fn each_mut(&mut self) -> impl Iterator<Item = (&mut Kept, &mut ListedProcess)> {
        self.kept.iter_mut().zip(&mut self.processes)
    }

    /// Each with its place in the VM's table.
    pub fn each(&self) -> impl Iterator<Item = ((u64, u64), &ListedProcess)> {
        let places = self.kept.iter().map(|kept| (kept.slot, kept.address));
        places.zip(&self.processes)
    }

    /// The process that was at a place.
    pub fn at(&self, slot: u64) -> Option<(&Kept, &ListedProcess)> {
        let place = *self.by_slot.get(&slot)?;
        self.kept.get(place).zip(self.processes.get(place))
    }

    /// Whether the kept facts about a process no longer hold, or there are none.
    pub fn points_elsewhere(&self, entry: &Entry) -> bool {
        let points = |it: &Kept| {
            let fields = (it.registered, it.dictionary, it.current);
            (it.id, it.address, fields, it.mailbox)
        };
        let (id, address) = (entry.id, entry.address);
        let fields = (entry.registered, entry.dictionary, entry.current);
        let mailbox = (entry.mailbox, entry.mailbox_lists);
        let now = (id, address, fields, mailbox);
        self.at(entry.slot)
            .is_none_or(|(kept, _)| points(kept) != now)
    }

    /// Puts one in its place.
    pub fn put(&mut self, kept: Kept, process: ListedProcess) {
        match self.by_slot.get(&kept.slot) {
            Some(place) => (self.kept[*place], self.processes[*place]) = (kept, process),
            None => {
                self.by_slot.insert(kept.slot, self.kept.len());
                self.kept.push(kept);
                self.processes.push(process);
            }
        }
    }

    /// Forgets those that were not in the last snapshot.
    pub fn forget_unseen(&mut self, look: u64) {
        let mut place = 0;
        while let Some(kept) = self.kept.get(place) {
            if kept.look == look {
                place += 1;
                continue;
            }
            self.by_slot.remove(&kept.slot);
            self.kept.swap_remove(place);
            self.processes.swap_remove(place);
            if let Some(moved) = self.kept.get(place) {
                self.by_slot.insert(moved.slot, place);
            }
        }
    }
}
