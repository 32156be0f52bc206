//! Changes in a VM while it is read.

use proptest::prelude::*;
use recorder::read::c_stack::REGISTER_BLOCK_BYTES;
use target_memory::TargetMemory;

use super::worlds::World;

/// A change in the VM while it is read.
#[derive(Debug, Clone)]
pub enum Interference {
    Nothing,
    /// It goes on to its state in another sample.
    MovesOn(prop::sample::Index),
    /// The collector moves heap and stack by so many words.
    StackMoves(u64),
    /// The process ends and another one has its place.
    Recycled(u64),
    /// The scheduler puts the process aside.
    PutAside,
    /// The process returns and calls something else, with another's frames in the same place.
    CallsOther(prop::sample::Index),
    /// Its stack is overwritten.
    Overwritten(u64),
}

impl Interference {
    /// The sample whose stack is there afterwards.
    pub fn other(&self) -> Option<&prop::sample::Index> {
        match self {
            Self::MovesOn(other) | Self::CallsOther(other) => Some(other),
            _ => None,
        }
    }
}

pub fn interferences() -> impl Strategy<Value = Interference> {
    prop_oneof![
        1 => Just(Interference::Nothing),
        4 => any::<prop::sample::Index>().prop_map(Interference::MovesOn),
        2 => (1u64..4096).prop_map(Interference::StackMoves),
        2 => any::<u64>().prop_map(Interference::Recycled),
        1 => Just(Interference::PutAside),
        4 => any::<prop::sample::Index>().prop_map(Interference::CallsOther),
        2 => any::<u64>().prop_map(Interference::Overwritten),
    ]
}

/// The memory after something has happened.
pub fn interfere(
    world: &mut World,
    other: impl Fn(&prop::sample::Index) -> World,
    what: &Interference,
) {
    let fields = world.layout.process;
    if !matches!(what, Interference::Nothing) {
        // Code that runs writes its X registers at nearly every step.
        world.x_register ^= 1;
    }
    match what {
        Interference::Nothing => {}
        Interference::MovesOn(index) => move_on(world, other(index)),
        Interference::StackMoves(words) => {
            for offset in [fields.heap, fields.hend, fields.htop, fields.stop] {
                if let Some(word) = world.process_word(offset) {
                    *word = word.wrapping_add(words * 8);
                }
            }
            world.erlang_at = world.erlang_at.wrapping_add(words * 8);
            world
                .stack
                .iter_mut()
                .take(4)
                .for_each(|word| *word = word.wrapping_add(words * 8));
        }
        Interference::Recycled(seed) => {
            for (index, word) in world.process.iter_mut().enumerate() {
                *word = word.rotate_left((seed % 64) as u32) ^ seed.wrapping_mul(index as u64 + 1);
            }
        }
        Interference::PutAside => (world.current_process, world.call_slot) = (0, 0),
        Interference::CallsOther(index) => {
            // Only the words of the stack, its bounds and the process stay as they are: the C stack
            // and the reductions show the change, as they do in a VM that has run on.
            let other = other(index);
            let len = world.erlang.len();
            let frames = other
                .erlang
                .iter()
                .rev()
                .chain(std::iter::repeat(&0x3b))
                .take(len);
            world.erlang = frames
                .copied()
                .collect::<Vec<_>>()
                .into_iter()
                .rev()
                .collect();
            world.stack.iter_mut().for_each(|word| *word ^= 0x10);
            if let Some(word) = world.process_word(fields.fcalls) {
                *word = word.wrapping_sub(3);
            }
        }
        Interference::Overwritten(seed) => {
            let step = seed % 7 + 1;
            for (index, word) in world.erlang.iter_mut().enumerate() {
                if (index as u64).is_multiple_of(step) {
                    *word = seed.wrapping_mul(index as u64 | 1);
                }
            }
            world.stack.iter_mut().for_each(|word| *word ^= 0x10);
            if let Some(word) = world.process_word(fields.fcalls) {
                *word = word.wrapping_sub(1);
            }
        }
    }
}

/// The scheduler goes on to its state in another sample.
pub fn move_on(world: &mut World, other: World) {
    let (scheduler, registers) = (world.scheduler, world.registers);
    *world = World {
        scheduler,
        registers,
        ..other
    };
}

/// The proof assumes that this does not happen within a millisecond: a thread has run on and comes
/// back to the same C stack and X registers, word for word, for another Erlang stack. (Of a dirty
/// scheduler's C stack only the lower half counts.)
///
/// It takes the same for granted of the X registers together with call, process and reductions left,
/// whatever the C stack is. No two samples of the corpus agree in those for different Erlang stacks,
/// so there is nothing to leave out for it; two agree in all but the X registers.
pub fn shows_nothing(before: &World, after: &World) -> bool {
    let (from, end) = match before.registers {
        0 => (before.stack.len() / 2, u64::MAX),
        registers if registers < before.stack_at => (0, u64::MAX),
        registers => (0, registers + REGISTER_BLOCK_BYTES),
    };
    let after = after.memory();
    let sampled = (before.stack_at..).step_by(8).zip(&before.stack).skip(from);
    sampled
        .take_while(|(address, _)| *address < end)
        .all(|(address, word)| after.read_u64(address).is_ok_and(|now| now == *word))
}
