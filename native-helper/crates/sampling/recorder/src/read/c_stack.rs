//! The C stack behind a sample: the part that is compared after a late read, and the part that the
//! sample does not hold.

use target_memory::TargetMemory;

use super::plan::SchedulerRead;
use super::raw_sample::RawSample;

/// The most of a C stack that is read late, for frames with big buffers.
pub(super) const MAX_C_STACK_BYTES: u64 = 32 << 10;
/// How much of the register block is compared: the scratch words and some 40 X registers.
pub const REGISTER_BLOCK_BYTES: u64 = 448;

/// The part of the C stack that is compared and the part that the sample lacks.
#[derive(Debug, Clone, Copy)]
pub(super) struct CStack {
    /// End of the sampled part.
    pub sampled_end: u64,
    /// Bytes from the stack pointer up that are not compared.
    pub compared_from: usize,
    /// Bytes after those that are.
    pub compared_len: usize,
    /// Bytes of the stack above what the sample holds, when that is not too much.
    pub missing_len: usize,
}

impl CStack {
    /// Of the stack in `sample`.
    pub fn of(scheduler: SchedulerRead, sample: &RawSample<'_>) -> Self {
        let stack_pointer = sample.registers[arch::sample::STACK_POINTER];
        let sampled_end = stack_pointer.saturating_add(sample.stack.len() as u64);
        let registers = scheduler
            .registers
            .filter(|registers| *registers >= stack_pointer);
        // The C stack ends below the register block. Above lie the X registers, which Erlang code
        // writes at nearly every step: they distinguish a C function with next to no stack of its
        // own from its next call.
        let compared_end = registers.map_or(sampled_end, |registers| {
            sampled_end.min(registers.saturating_add(REGISTER_BLOCK_BYTES))
        });
        // A dirty scheduler has no X registers, and its jobs take long: the upper part of its stack
        // changes all the time, the lower part from one job to the next.
        let compared_from = match scheduler.registers {
            Some(_) => 0,
            None => sample.stack.len() / 2,
        };
        let missing = registers.map_or(0, |registers| registers.saturating_sub(sampled_end));
        Self {
            sampled_end,
            compared_from,
            compared_len: (compared_end - stack_pointer) as usize - compared_from,
            missing_len: match missing {
                0..=MAX_C_STACK_BYTES => missing as usize & !7,
                _ => 0,
            },
        }
    }

    /// Reads what of the stack is missing in the sample.
    pub fn read_rest<'a>(
        &self,
        memory: &impl TargetMemory,
        out: &'a mut [u8],
        sample: &mut RawSample<'a>,
    ) {
        let rest = out.get_mut(..self.missing_len).unwrap_or(&mut []);
        if !rest.is_empty() && memory.read(self.sampled_end, rest).is_ok() {
            sample.stack_rest = rest;
            sample.stack_rest_address = self.sampled_end;
        }
    }
}

/// The X registers, for a sample that reaches them.
pub(super) fn outermost(stack: &[u8]) -> &[u8] {
    let from = stack.len().saturating_sub(REGISTER_BLOCK_BYTES as usize);
    stack.get(from..).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_huge_or_backward_c_stack_is_not_read() {
        let scheduler = |registers| SchedulerRead {
            data: 0,
            registers: Some(registers),
            stack_hint: None,
        };
        let mut sample = RawSample {
            stack: &[0; 64],
            ..RawSample::default()
        };
        sample.registers[arch::sample::STACK_POINTER] = 0x7000;
        let c_stack = CStack::of(scheduler(0x7100), &sample);
        assert_eq!((c_stack.compared_len, c_stack.missing_len), (64, 0xc0));
        let c_stack = CStack::of(scheduler(0x700_7000), &sample);
        assert_eq!(c_stack.missing_len, 0);
        let c_stack = CStack::of(scheduler(0x10), &sample);
        assert_eq!((c_stack.compared_len, c_stack.missing_len), (64, 0));
        sample.registers[arch::sample::STACK_POINTER] = u64::MAX - 8;
        assert_eq!(CStack::of(scheduler(0x10), &sample).missing_len, 0);
    }
}
