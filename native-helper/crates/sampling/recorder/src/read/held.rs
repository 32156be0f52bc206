//! Whether a thread that runs interpreted code is held off its CPU.
//!
//! Memory does not show the registers of the interpreter at a sample, so a stack read after it
//! cannot be compared with them. But a reader with real-time priority takes the CPU from the thread
//! in the interrupt of the sample itself. The remaining risk is that the thread goes on elsewhere:
//! on another CPU, or because the reader was late. A thread that runs interpreted code writes its X
//! registers and its stack all the time, so that shows in a few microseconds.

use target_memory::{Range, TargetMemory};
use vm_layout::VmLayout;
use vm_tables::processes::ProcessFields;

/// X registers compared.
const REGISTER_BYTES: usize = 256;
/// How much of the stack is compared, from its top on.
const STACK_BYTES: usize = 256;

/// The words that interpreted code writes at nearly every step, at one moment.
#[derive(Debug)]
pub struct Written {
    ranges: [Range; 2],
    bytes: [u8; REGISTER_BYTES + STACK_BYTES],
    len: usize,
}

impl Written {
    /// The X registers of the scheduler at `data`: to be read before anything else, so that nothing
    /// can have been read while the thread ran.
    pub fn registers(memory: &impl TargetMemory, layout: &VmLayout, data: u64) -> Option<Self> {
        let field = data.wrapping_add(layout.scheduler.registers as u64);
        let address = memory.read_u64(field).ok()?;
        let mut written = Self {
            ranges: [
                Range {
                    address,
                    len_bytes: REGISTER_BYTES,
                },
                Range {
                    address: 0,
                    len_bytes: 0,
                },
            ],
            bytes: [0; REGISTER_BYTES + STACK_BYTES],
            len: REGISTER_BYTES,
        };
        memory
            .read(address, written.bytes.get_mut(..REGISTER_BYTES)?)
            .ok()?;
        Some(written)
    }

    /// With the stack of the process it runs, whose top may be `stack_hint`.
    pub fn and_stack(
        mut self,
        memory: &impl TargetMemory,
        stack_hint: u64,
        fields: &ProcessFields,
    ) -> Option<Self> {
        let in_heap = |word: u64| (fields.heap..=fields.hend).contains(&word);
        let top = [stack_hint, fields.stop]
            .into_iter()
            .find(|top| in_heap(*top));
        let Some(top) = top else { return Some(self) };
        let len_bytes = usize::try_from(fields.hend - top)
            .unwrap_or(STACK_BYTES)
            .min(STACK_BYTES);
        self.len = REGISTER_BYTES + len_bytes;
        let stack = self.bytes.get_mut(REGISTER_BYTES..self.len)?;
        memory.read(top, stack).ok()?;
        self.ranges[1] = Range {
            address: top,
            len_bytes,
        };
        Some(self)
    }

    /// True when it is as it was.
    pub fn is_unchanged(&self, memory: &impl TargetMemory) -> bool {
        let mut now = [0; REGISTER_BYTES + STACK_BYTES];
        let (Some(now), Some(before)) = (now.get_mut(..self.len), self.bytes.get(..self.len))
        else {
            return false;
        };
        memory.read_many(&self.ranges, now).is_ok() && now == before
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use target_memory::SnapshotMemory;
    use vm_layout::rows::ROWS;

    fn fields(stop: u64) -> ProcessFields {
        ProcessFields {
            id: 3,
            reg: 0,
            htop: 0x5000,
            stop,
            fcalls: 0,
            heap: 0x5000,
            hend: 0x6000,
            heap_size_words: 512,
            i: 0,
            state: 0,
        }
    }

    #[test]
    fn a_register_or_a_stack_word_that_changes_is_seen() {
        let layout = &ROWS[0];
        let vm = |register: u64, word: u64| {
            let mut memory = SnapshotMemory::new();
            let (mut registers, mut heap) = (vec![0x3b; 64], vec![0x3b; 512]);
            (registers[2], heap[500]) = (register, word);
            memory
                .map_words(0x1000, &[0x2000, 0])
                .map_words(0x2000, &registers)
                .map_words(0x5000, &heap);
            memory
        };
        let top = 0x5000 + 490 * 8;
        for (hint, stop) in [(top, 0x5ff8), (7, top)] {
            let (before, fields) = (vm(1, 2), fields(stop));
            let registers = Written::registers(&before, layout, 0x1000).unwrap();
            let written = registers.and_stack(&before, hint, &fields).unwrap();
            assert!(written.is_unchanged(&vm(1, 2)));
            assert!(!written.is_unchanged(&vm(9, 2)));
            assert!(!written.is_unchanged(&vm(1, 9)));
        }
        assert!(Written::registers(&SnapshotMemory::new(), layout, 0x1000).is_none());
    }
}
