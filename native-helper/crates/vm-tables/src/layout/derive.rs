//! What the VM's own code and processes say about its layout, without knowing its release.
//!
//! The JIT's shared fragments load and store the process fields they need through r13 (the
//! current process) and rbx (the register block), so their bytes carry the offsets. Heap bounds
//! never appear in JIT code; they follow from any process at rest, because three of its words
//! satisfy `hend - heap == 8 * size`, and htop and stop lie between them.

use std::collections::BTreeMap;

use iced_x86::{Code, Decoder, DecoderOptions, Instruction, Mnemonic, OpKind, Register};

/// What the shared fragments say. A field is present only when its uses agree, but for a few:
/// r14, say, is stored elsewhere as well.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct FragmentFacts {
    /// rbx minus the address of the register block.
    pub registers_delta: Option<i64>,
    /// Process.htop.
    pub htop: Option<i64>,
    /// Process.stop.
    pub stop: Option<i64>,
    /// Process.fcalls.
    pub fcalls: Option<i64>,
    /// Width of Process.fcalls.
    pub fcalls_bytes: Option<i64>,
}

/// Decodes the shared fragments. `code` may be any bytes.
pub fn from_fragments(code: &[u8], address: u64) -> FragmentFacts {
    let mut votes: BTreeMap<&'static str, BTreeMap<i64, u32>> = BTreeMap::new();
    let mut vote = |field, value| {
        *votes.entry(field).or_default().entry(value).or_insert(0) += 1;
    };
    let mut decoder = Decoder::with_ip(64, code, address, DecoderOptions::NONE);
    let mut instruction = Instruction::default();
    while decoder.can_decode() {
        decoder.decode_out(&mut instruction);
        if instruction.code() == Code::INVALID || instruction.memory_index() != Register::None {
            continue;
        }
        let displacement = instruction.memory_displacement64().cast_signed();
        match (instruction.memory_base(), instruction.mnemonic()) {
            (Register::RBX, Mnemonic::Lea) if instruction.op0_register() == Register::RSP => {
                vote("registers_delta", displacement.wrapping_neg());
            }
            (Register::R13, Mnemonic::Mov) if instruction.op1_kind() == OpKind::Memory => {
                match instruction.op0_register() {
                    Register::R15 => vote("htop", displacement),
                    Register::RSP => vote("stop", displacement),
                    _ => {}
                }
            }
            (Register::R13, Mnemonic::Mov) if instruction.op0_kind() == OpKind::Memory => {
                let bytes = match instruction.op1_register() {
                    Register::R14 => 8,
                    Register::R14D => 4,
                    _ => continue,
                };
                vote("fcalls", displacement);
                vote("fcalls_bytes", bytes);
            }
            _ => {}
        }
    }
    let agreed = |field: &str| {
        let votes = votes.get(field)?;
        let (value, count) = votes.iter().max_by_key(|(_, count)| **count)?;
        let all: u32 = votes.values().sum();
        (*count >= 2 && count * 4 >= all * 3).then_some(*value)
    };
    FragmentFacts {
        registers_delta: agreed("registers_delta"),
        htop: agreed("htop"),
        stop: agreed("stop"),
        fcalls: agreed("fcalls"),
        fcalls_bytes: agreed("fcalls_bytes"),
    }
}

/// Offsets of (heap, hend, size in words).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HeapFields {
    /// Process.heap.
    pub heap: usize,
    /// Process.hend.
    pub hend: usize,
    /// Process.heap_sz.
    pub heap_size_words: usize,
}

/// All triples that hold for every process given (as words from its first byte), with `htop` and
/// `stop` (byte offsets) between the bounds. One answer is proof, several are none.
pub fn heap_fields(processes: &[Vec<u64>], htop: usize, stop: usize) -> Vec<HeapFields> {
    let words = processes.iter().map(Vec::len).min().unwrap_or(0).min(128);
    let mut found = Vec::new();
    for heap in 0..words {
        for hend in 0..words {
            if heap == hend || !processes.iter().all(|p| bounds(p, heap, hend, htop, stop)) {
                continue;
            }
            for size in 0..words {
                let holds = |p: &Vec<u64>| {
                    p[size]
                        .checked_mul(8)
                        .is_some_and(|bytes| bytes == p[hend] - p[heap])
                };
                if size != heap && size != hend && processes.iter().all(holds) {
                    found.push(HeapFields {
                        heap: heap * 8,
                        hend: hend * 8,
                        heap_size_words: size * 8,
                    });
                }
            }
        }
    }
    found
}

fn bounds(process: &[u64], heap: usize, hend: usize, htop: usize, stop: usize) -> bool {
    let (Some(&htop), Some(&stop)) = (process.get(htop / 8), process.get(stop / 8)) else {
        return false;
    };
    let (heap, hend) = (process[heap], process[hend]);
    heap > 4096 && heap.is_multiple_of(8) && heap <= htop && htop <= stop && stop < hend
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn fragments_carry_the_offsets() {
        let code = [
            0x48, 0x8d, 0x63, 0xc0, // lea rsp,[rbx-0x40]
            0x4d, 0x8b, 0x7d, 0x50, // mov r15,[r13+0x50]
            0x49, 0x8b, 0x65, 0x58, // mov rsp,[r13+0x58]
            0x45, 0x89, 0x75, 0x78, // mov [r13+0x78],r14d
        ]
        .repeat(3);
        let facts = from_fragments(&code, 0x1000);
        assert_eq!(facts.registers_delta, Some(64));
        assert_eq!((facts.htop, facts.stop), (Some(80), Some(88)));
        assert_eq!((facts.fcalls, facts.fcalls_bytes), (Some(120), Some(4)));
    }

    #[test]
    fn a_contradiction_is_no_answer() {
        let code = [0x49, 0x8b, 0x65, 0x58, 0x49, 0x8b, 0x65, 0x60]; // stop at 0x58 and at 0x60
        assert_eq!(from_fragments(&code, 0).stop, None);
    }

    #[test]
    fn heap_bounds_follow_from_processes_at_rest() {
        let process = |heap: u64, size: u64| {
            let mut words = vec![3; 40];
            words[10] = heap + 16; // htop
            words[11] = heap + size * 8 - 24; // stop
            (words[16], words[17], words[19]) = (heap, heap + size * 8, size);
            words
        };
        let found = heap_fields(&[process(0x7000, 233), process(0x9000, 610)], 80, 88);
        assert_eq!(
            found,
            [HeapFields {
                heap: 128,
                hend: 136,
                heap_size_words: 152
            }]
        );
    }

    proptest! {
        #[test]
        fn garbage_never_panics(
            code: Vec<u8>,
            processes in prop::collection::vec(prop::collection::vec(any::<u64>(), 0..20), 0..3),
        ) {
            from_fragments(&code, 0);
            heap_fields(&processes, 8, 16);
        }
    }
}
