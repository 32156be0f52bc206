//! Reading the Erlang stack of a process in one go.

use target_memory::TargetMemory;
use vm_layout::STATE_GC;
use vm_tables::processes::ProcessFields;

/// The most of an Erlang stack that is read: some 5,000 frames.
pub const MAX_ERLANG_STACK_BYTES: usize = 128 << 10;
const PAGE_BYTES: usize = 4096;
/// Where the JIT keeps the Erlang stack pointer in the frame pointer, Process.stop is that of the last time it
/// was written; the stack may have grown by about this much since.
const BELOW_STOP_BYTES: u64 = 1024;

/// An Erlang stack as read.
#[derive(Debug, Clone, Copy)]
pub(super) struct ErlangRead {
    pub top: u64,
    pub len: usize,
    pub is_cut: bool,
}

/// True for a place that can be read to the end of the stack. In a C function the register that is
/// the hint may point anywhere in the heap: reading from there would miss the bottom of the stack.
pub(super) fn may_be_stack(hint: u64, fields: &ProcessFields) -> bool {
    (fields.heap..fields.hend).contains(&hint)
        && fields.hend - hint <= MAX_ERLANG_STACK_BYTES as u64
}

/// Reads the stack of the process with these fields into `out`, from a little below its top on, or
/// from the hint if that is lower. `None` when it cannot be read.
pub(super) fn read_erlang_stack(
    memory: &impl TargetMemory,
    normal_exit: u64,
    fields: &ProcessFields,
    hint: Option<u64>,
    out: &mut [u8],
) -> Option<ErlangRead> {
    if fields.is_consistent() {
        // An interpreter may have pushed a lot since it last stored the place of the stack.
        let hint = hint.filter(|hint| may_be_stack(*hint, fields));
        let top = fields
            .stop
            .saturating_sub(BELOW_STOP_BYTES)
            .min(hint.map_or(u64::MAX, |hint| hint & !7))
            .max(fields.heap);
        let wanted = fields.hend - top;
        let len = wanted.min(out.len() as u64) as usize;
        memory.read(top, out.get_mut(..len)?).ok()?;
        let is_cut = wanted > len as u64;
        return Some(ErlangRead { top, len, is_cut });
    }
    // The collector has moved the stack but not yet stored the end of the new heap: the stack is
    // good from its top down to its bottom word.
    if fields.state & STATE_GC == 0 || !fields.stop.is_multiple_of(8) {
        return None;
    }
    let len = read_to_bottom(memory, normal_exit, fields.stop, out);
    (len > 0).then_some(ErlangRead {
        top: fields.stop,
        len,
        is_cut: false,
    })
}

/// Reads page by page until the bottom word, the end of the mapped memory, or the end of `out`.
fn read_to_bottom(memory: &impl TargetMemory, normal_exit: u64, top: u64, out: &mut [u8]) -> usize {
    let mut len = 0;
    while len < out.len() {
        let address = top.wrapping_add(len as u64);
        let to_page_end = PAGE_BYTES - (address % PAGE_BYTES as u64) as usize;
        let end = out.len().min(len + to_page_end);
        let Some(page) = out.get_mut(len..end) else {
            break;
        };
        if memory.read(address, page).is_err() {
            break;
        }
        let has_bottom = target_memory::bytes_to_words(page).any(|word| word == normal_exit);
        len = end;
        if has_bottom {
            break;
        }
    }
    len
}

#[cfg(test)]
mod tests {
    use super::*;
    use target_memory::SnapshotMemory;

    #[test]
    fn a_stack_whose_end_is_not_known_is_read_to_its_bottom() {
        let mut memory = SnapshotMemory::new();
        let mut words = vec![0x3b; 1024];
        words[700] = 0xe000;
        memory.map_words(0x10000, &words);
        let mut out = vec![0; 1 << 16];
        // The bottom is in the second page: that page is read to its end, no further.
        assert_eq!(
            read_to_bottom(&memory, 0xe000, 0x10008, &mut out),
            0x2000 - 8
        );
        // Without a bottom it ends where the mapping does.
        assert_eq!(
            read_to_bottom(&memory, 0xbad, 0x10008, &mut out),
            0x2000 - 8
        );
        assert_eq!(read_to_bottom(&memory, 0xe000, 0x20000, &mut out), 0);
    }

    #[test]
    fn a_register_that_points_far_into_the_heap_costs_no_stack() {
        let heap = 0x10000;
        let hend = heap + 2 * MAX_ERLANG_STACK_BYTES as u64;
        let mut memory = SnapshotMemory::new();
        memory.map(heap, vec![0x3b; 2 * MAX_ERLANG_STACK_BYTES]);
        let fields = ProcessFields {
            id: 3,
            reg: 0,
            htop: heap + 0x800,
            stop: hend - 0x100,
            fcalls: 0,
            heap,
            hend,
            heap_size_words: (hend - heap) / 8,
            i: 0,
            state: 0,
        };
        let mut out = vec![0; MAX_ERLANG_STACK_BYTES];
        let mut read = |hint| {
            let read = read_erlang_stack(&memory, 0xe000, &fields, Some(hint), &mut out).unwrap();
            (hend - read.top, read.len, read.is_cut)
        };
        // A little below the place that the process stores: the interpreter has pushed something.
        assert_eq!(read(hend - 0xc00), (0xc00, 0xc00, false));
        assert_eq!(read(heap + 8), (0x500, 0x500, false));
        assert_eq!(read(hend), (0x500, 0x500, false));
    }
}
