//! Where the number of the active code index is, `the_active_code_index`.
//!
//! The VM keeps three copies of its code tables; loading a module fills the next copy and makes it
//! the active one. Compiled code holds the number in r12, with 3 in its place while calls are
//! recorded, and the JIT's shared fragments load it after everything that may have waited:
//! `mov rdi, its address; mov edi, [rdi]; cmp r12, 3; cmovne r12, rdi`, and when a process starts
//! to run `mov rdi, its address; mov r12d, [rdi]`. All of them have to name one address.

use iced_x86::{Decoder, DecoderOptions, Instruction, Mnemonic, OpKind, Register};

/// Stands in r12 for "calls are recorded".
const SAVE_CALLS: u64 = 3;
/// Fewer places than that are no proof; there are seven or more.
const MIN_PLACES: u32 = 2;
/// The register gets its new value so few instructions after an address was taken.
const MAX_DISTANCE: usize = 4;

/// An address loaded into a register, and the uses of it.
#[derive(Debug, Clone, Copy)]
struct Taken {
    address: u64,
    pointer: Register,
    /// What the value at the address was loaded to.
    value: Option<Register>,
    compared: bool,
    instructions_ago: usize,
}

/// The address that the shared fragments load the index from. `code` may be any bytes.
pub fn code_index_address(code: &[u8], address: u64) -> Option<u64> {
    let mut decoder = Decoder::with_ip(64, code, address, DecoderOptions::NONE);
    let mut taken: Option<Taken> = None;
    let mut found: Option<u64> = None;
    let mut places = 0;
    let mut instruction = Instruction::default();
    while decoder.can_decode() {
        decoder.decode_out(&mut instruction);
        if let Some(new) = takes_address(&instruction) {
            taken = Some(new);
            continue;
        }
        let Some(known) = &mut taken else { continue };
        known.instructions_ago += 1;
        match step(known, &instruction) {
            Step::Loaded => {
                if found.is_some_and(|found| found != known.address) {
                    return None;
                }
                found = Some(known.address);
                places += 1;
                taken = None;
            }
            Step::Goes if known.instructions_ago < MAX_DISTANCE => {}
            Step::Goes | Step::Ends => taken = None,
        }
    }
    found.filter(|address| places >= MIN_PLACES && address.is_multiple_of(4))
}

enum Step {
    /// r12 has the value now.
    Loaded,
    Goes,
    Ends,
}

fn step(taken: &mut Taken, instruction: &Instruction) -> Step {
    let to = match instruction.op0_kind() {
        OpKind::Register => instruction.op0_register(),
        _ => Register::None,
    };
    let loads = instruction.mnemonic() == Mnemonic::Mov
        && instruction.op1_kind() == OpKind::Memory
        && instruction.memory_base() == taken.pointer
        && instruction.memory_index() == Register::None
        && instruction.memory_displacement64() == 0
        && to.is_gpr32();
    match instruction.mnemonic() {
        _ if loads && to == Register::R12D => Step::Loaded,
        _ if loads => {
            taken.value = Some(to.full_register());
            Step::Goes
        }
        Mnemonic::Cmp if to == Register::R12 => {
            taken.compared = instruction.op1_kind() != OpKind::Register
                && instruction.immediate(1) == SAVE_CALLS;
            Step::Goes
        }
        Mnemonic::Cmovne if to == Register::R12 => {
            let is_ours = taken.compared && taken.value == Some(instruction.op1_register());
            if is_ours { Step::Loaded } else { Step::Ends }
        }
        // Another use of the registers that matter.
        _ if to.full_register() == taken.pointer || to.full_register() == Register::R12 => {
            Step::Ends
        }
        _ => Step::Goes,
    }
}

/// `mov reg, address` or `lea reg, [rip+d]`.
fn takes_address(instruction: &Instruction) -> Option<Taken> {
    let address = match instruction.mnemonic() {
        Mnemonic::Mov
            if matches!(
                instruction.op1_kind(),
                OpKind::Immediate64 | OpKind::Immediate32 | OpKind::Immediate32to64
            ) =>
        {
            instruction.immediate(1)
        }
        Mnemonic::Lea if instruction.is_ip_rel_memory_operand() => {
            instruction.ip_rel_memory_address()
        }
        _ => return None,
    };
    let is_address = instruction.op0_kind() == OpKind::Register && address > 0xffff;
    is_address.then(|| Taken {
        address,
        pointer: instruction.op0_register().full_register(),
        value: None,
        compared: false,
        instructions_ago: 0,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const INDEX: u64 = 0x5634_57e1_8aa4;

    fn take(address: u64) -> Vec<u8> {
        // mov rdi, address
        [&[0x48, 0xbf], &address.to_le_bytes()[..]].concat()
    }

    /// The instructions after code that may have waited.
    fn reload(address: u64) -> Vec<u8> {
        // mov edi, [rdi]; cmp r12, 3; cmovne r12, rdi
        let rest = [0x8b, 0x3f, 0x49, 0x83, 0xfc, 0x03, 0x4c, 0x0f, 0x45, 0xe7];
        [take(address), rest.to_vec()].concat()
    }

    /// The instructions where a process starts to run.
    fn start(address: u64) -> Vec<u8> {
        // mov esi, 3; mov r12d, [rdi]; cmovne r12, rsi
        let rest = [0xbe, 3, 0, 0, 0, 0x44, 0x8b, 0x27, 0x4c, 0x0f, 0x45, 0xe6];
        [take(address), rest.to_vec()].concat()
    }

    #[test]
    fn the_address_that_all_places_load_from_is_it() {
        let code = [reload(INDEX), start(INDEX), reload(INDEX)].concat();
        assert_eq!(code_index_address(&code, 0x1000), Some(INDEX));
        // `mov [rdi+0x8]` and other uses of an address prove nothing.
        let other = [take(0x55_5550), vec![0x8b, 0x7f, 0x08], vec![0x90; 4]].concat();
        let code = [other, reload(INDEX), start(INDEX)].concat();
        assert_eq!(code_index_address(&code, 0x1000), Some(INDEX));
    }

    #[test]
    fn one_place_is_no_proof_and_a_contradiction_no_answer() {
        assert_eq!(code_index_address(&reload(INDEX), 0), None);
        let code = [reload(INDEX), start(INDEX), reload(INDEX + 8)].concat();
        assert_eq!(code_index_address(&code, 0), None);
        let unaligned = reload(INDEX + 1).repeat(3);
        assert_eq!(code_index_address(&unaligned, 0), None);
    }

    #[test]
    fn another_value_than_the_one_loaded_is_not_it() {
        let mut code = reload(INDEX).repeat(3);
        for place in code.chunks_exact_mut(20) {
            place[19] = 0xe6; // cmovne r12, rsi
        }
        assert_eq!(code_index_address(&code, 0), None);
    }

    proptest! {
        #[test]
        fn garbage_never_panics(code: Vec<u8>, address: u64) {
            code_index_address(&code, address);
        }

        #[test]
        fn torn_code_names_no_other_place(cut in 0usize..60, garbage: u8) {
            let mut code = [reload(INDEX), start(INDEX), reload(INDEX)].concat();
            if let Some(byte) = code.get_mut(cut) {
                *byte = garbage;
            }
            let found = code_index_address(&code, 0x1000);
            prop_assert!(found.is_none_or(|found| found == INDEX), "{found:x?}");
        }
    }
}
