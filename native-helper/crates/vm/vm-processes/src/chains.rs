//! Lists in the VM's memory, many of them in step.
//!
//! An element points to the next one, so a list of a million takes a million steps. They are not as many system
//! calls: the next elements of all lists are read in one call, and where those of a list lie close together, which
//! they do when they were made one after the other, the memory around one has the following ones, too.

use target_memory::{Range, TargetMemory, read_each};

/// The most that is read around an element.
const MAX_WINDOW: usize = 16 << 10;
/// The factor by which that grows where it has further elements, and shrinks where it has none.
const GROWTH: usize = 4;
/// Memory of all lists that are read at once.
const MAX_ROUND_BYTES: usize = 8 << 20;

/// The most that may be read of all lists together.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ChainLimits {
    /// Elements.
    pub elements: usize,
    /// Rounds, each of some system calls.
    pub rounds: usize,
}

/// The part of each element that is read.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Element {
    /// The length of the longest.
    pub len_bytes: usize,
    /// The length that all have. A shorter element may lie at the end of a mapping: zeros are added to it, then.
    pub least_bytes: usize,
}

impl Element {
    /// All are of one length.
    pub const fn of(len_bytes: usize) -> Self {
        Self {
            len_bytes,
            least_bytes: len_bytes,
        }
    }
}

/// A list.
#[derive(Debug)]
pub(crate) struct Chain {
    /// Whose it is.
    pub owner: usize,
    next: u64,
    /// An element that was there before: one that comes back to it never ends.
    mark: u64,
    steps: usize,
    window: Window,
}

#[derive(Debug)]
struct Window {
    start: u64,
    bytes: Vec<u8>,
    /// The length of the next read.
    len_bytes: usize,
    hits: usize,
}

impl Chain {
    pub fn new(owner: usize, first: u64) -> Self {
        let window = Window {
            start: 0,
            bytes: Vec::new(),
            len_bytes: 0,
            hits: 0,
        };
        Self {
            owner,
            next: first,
            mark: 0,
            steps: 0,
            window,
        }
    }

    /// Continues within the window. False when the list has ended.
    fn advance(
        &mut self,
        element_bytes: usize,
        left: &mut usize,
        visit: &mut impl FnMut(usize, u64, &[u8]) -> Option<u64>,
    ) -> Result<bool, ()> {
        while self.next != 0 {
            let Some(element) = self.window.element(self.next, element_bytes) else {
                return Ok(true);
            };
            *left = left.checked_sub(1).ok_or(())?;
            let at = self.next;
            self.next = visit(self.owner, at, element).unwrap_or(0);
            self.window.hits += 1;
            self.steps += 1;
            if self.steps.is_power_of_two() {
                self.mark = at;
            } else if self.next != 0 && self.next == self.mark {
                return Err(());
            }
        }
        Ok(false)
    }
}

impl Window {
    fn element(&self, address: u64, element_bytes: usize) -> Option<&[u8]> {
        let start = usize::try_from(address.checked_sub(self.start)?).ok()?;
        self.bytes.get(start..start.checked_add(element_bytes)?)
    }

    /// The range to read for an element that is not in it.
    fn range(&mut self, address: u64, element_bytes: usize, most_bytes: usize) -> Range {
        self.len_bytes = match (self.len_bytes, self.hits) {
            (0, _) => element_bytes,
            (len_bytes, 0 | 1) => len_bytes / GROWTH,
            (len_bytes, _) => len_bytes.saturating_mul(GROWTH),
        };
        // One element is all that is had of a list that lies all over memory; now and then it is tried again.
        let least = if self.hits > 0 { 512 } else { element_bytes };
        self.len_bytes = self.len_bytes.max(least).min(most_bytes.max(element_bytes));
        self.hits = 0;
        let len_bytes = self.len_bytes as u64;
        // Elements may come by rising or by falling addresses.
        let aligned = address - address % len_bytes;
        let end = address.saturating_add(element_bytes as u64);
        let is_inside = aligned.saturating_add(len_bytes) >= end;
        let centered = address.saturating_sub(len_bytes.saturating_sub(element_bytes as u64) / 2);
        let address = if is_inside { aligned } else { centered };
        Range {
            address,
            len_bytes: self.len_bytes,
        }
    }
}

/// Follows all lists. `visit` receives the owner, the address and the bytes of an element and returns where the next
/// one is. Returns the owners of unfinished lists: unreadable, without an end, or beyond the limits.
pub(crate) fn walk(
    memory: &impl TargetMemory,
    mut chains: Vec<Chain>,
    element: Element,
    limits: &mut ChainLimits,
    mut visit: impl FnMut(usize, u64, &[u8]) -> Option<u64>,
) -> Vec<usize> {
    let element_bytes = element.len_bytes;
    let mut unfinished = Vec::new();
    chains.retain(|chain| chain.next != 0);
    while !chains.is_empty() {
        let Some(rounds) = limits.rounds.checked_sub(1) else {
            unfinished.extend(chains.iter().map(|chain| chain.owner));
            break;
        };
        limits.rounds = rounds;
        let most_bytes = (MAX_ROUND_BYTES / chains.len()).clamp(element_bytes, MAX_WINDOW);
        let ranges: Vec<Range> = chains
            .iter_mut()
            .map(|chain| chain.window.range(chain.next, element_bytes, most_bytes))
            .collect();
        let read = read_each(
            memory,
            &ranges,
            MAX_ROUND_BYTES.max(ranges.len() * element_bytes),
        );
        let mut going = Vec::with_capacity(chains.len());
        for ((mut chain, range), bytes) in chains.into_iter().zip(ranges).zip(read) {
            match bytes {
                Some(bytes) => (chain.window.start, chain.window.bytes) = (range.address, bytes),
                // The memory around it is not mapped completely.
                None => match read_one(memory, chain.next, element) {
                    Some(bytes) => (chain.window.start, chain.window.bytes) = (chain.next, bytes),
                    None => {
                        unfinished.push(chain.owner);
                        continue;
                    }
                },
            }
            match chain.advance(element_bytes, &mut limits.elements, &mut visit) {
                Ok(true) => going.push(chain),
                Ok(false) => {}
                Err(()) => unfinished.push(chain.owner),
            }
        }
        chains = going;
    }
    unfinished
}

/// One element, by itself.
pub(crate) fn read_one(
    memory: &impl TargetMemory,
    address: u64,
    element: Element,
) -> Option<Vec<u8>> {
    let Element {
        len_bytes,
        least_bytes,
    } = element;
    let read = |bytes| memory.read_vec(address, bytes, bytes).ok();
    let mut bytes = read(len_bytes).or_else(|| read(least_bytes))?;
    bytes.resize(len_bytes, 0);
    Some(bytes)
}

#[cfg(test)]
mod tests;
