//! The unwind rules at one address, small and without borrowed parts, and how they are applied.

pub use arch::unwind::Registers;
use arch::unwind::{GENERAL_COUNT, STACK_POINTER};

/// Where the canonical frame address (the caller's stack pointer) is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CfaRule {
    /// `CFA = register + offset`
    Register {
        /// DWARF number.
        register: u8,
        /// Bytes.
        offset: i32,
    },
    /// `CFA = *(register + offset)`: functions that realign their stack, signal frames.
    Deref {
        /// DWARF number.
        register: u8,
        /// Bytes.
        offset: i32,
    },
    /// `CFA = stack pointer + 8 + (program counter & 15 >= pushed_from ? 8 : 0)`: PLT stubs, which
    /// push one word.
    Plt {
        /// Offset in the stub from which the word has been pushed.
        pushed_from: u8,
    },
}

/// How the caller's value of one register is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum RegisterRule {
    /// The register still holds it.
    #[default]
    SameValue,
    /// It is lost; of the return address: this is the outermost frame.
    Undefined,
    /// `*(CFA + offset)`
    AtCfa(i32),
    /// `*(register + offset)`
    AtRegister {
        /// DWARF number.
        register: u8,
        /// Bytes.
        offset: i32,
    },
    /// `CFA + offset`
    CfaPlus(i32),
    /// In another register.
    Register(u8),
}

/// The unwind rules at one address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnwindRow {
    /// Canonical frame address.
    pub cfa: CfaRule,
    /// Rules of the general registers, in DWARF order.
    pub registers: [RegisterRule; GENERAL_COUNT],
    /// One bit per register whose rule is not [`RegisterRule::SameValue`].
    pub changed: u16,
    /// Rule of the return address.
    pub return_address: RegisterRule,
    /// The frame of a signal handler's trampoline: the caller was interrupted, not calling.
    pub is_signal_frame: bool,
}

/// Why a row could not be applied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StepEnd {
    /// The return address is undefined: the outermost frame.
    Outermost,
    /// The stack is not readable at this address.
    Unreadable(u64),
    /// The caller's frame does not lie above this one.
    NotAdvancing,
}

impl UnwindRow {
    /// The caller's registers. Registers whose value is lost keep the old one.
    #[inline]
    pub(crate) fn apply(
        &self,
        callee: &Registers,
        mut read_stack: impl FnMut(u64) -> Option<u64>,
    ) -> Result<Registers, StepEnd> {
        let mut read = |address| read_stack(address).ok_or(StepEnd::Unreadable(address));
        let plus = |base: u64, offset: i32| base.wrapping_add_signed(i64::from(offset));
        let cfa = match self.cfa {
            CfaRule::Register { register, offset } => plus(callee.get(register), offset),
            CfaRule::Deref { register, offset } => read(plus(callee.get(register), offset))?,
            CfaRule::Plt { pushed_from } => {
                let is_pushed = callee.program_counter & 15 >= u64::from(pushed_from);
                callee
                    .stack_pointer()
                    .wrapping_add(if is_pushed { 16 } else { 8 })
            }
        };
        // Signal handlers may run on a stack of their own, so only they may go down.
        if cfa <= callee.stack_pointer() && !self.is_signal_frame {
            return Err(StepEnd::NotAdvancing);
        }
        let mut value = |rule, same| match rule {
            RegisterRule::SameValue | RegisterRule::Undefined => Ok(same),
            // An epilogue has popped the words below the stack pointer: the register holds it again, though compilers
            // leave the rule of the saved one in place until the return.
            RegisterRule::AtCfa(offset) if plus(cfa, offset) < callee.stack_pointer() => Ok(same),
            RegisterRule::AtCfa(offset) => read(plus(cfa, offset)),
            RegisterRule::AtRegister { register, offset } => {
                read(plus(callee.get(register), offset))
            }
            RegisterRule::CfaPlus(offset) => Ok(plus(cfa, offset)),
            RegisterRule::Register(register) => Ok(callee.get(register)),
        };
        if self.return_address == RegisterRule::Undefined {
            return Err(StepEnd::Outermost);
        }
        let mut caller = *callee;
        caller.program_counter = value(self.return_address, callee.program_counter)?;
        caller.general[usize::from(STACK_POINTER)] = cfa;
        let mut changed = self.changed;
        while changed != 0 {
            // Below 16: `changed` has 16 bits and is not zero.
            let number = changed.trailing_zeros() as usize;
            changed &= changed - 1;
            caller.general[number] = value(self.registers[number], callee.general[number])?;
        }
        Ok(caller)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RBX: usize = 3;

    /// `pop %rbx; ret`, with the rule for rbx that holds from its push on.
    fn row(cfa_offset: i32) -> UnwindRow {
        let mut registers = [RegisterRule::SameValue; GENERAL_COUNT];
        registers[RBX] = RegisterRule::AtCfa(-16);
        UnwindRow {
            cfa: CfaRule::Register {
                register: STACK_POINTER,
                offset: cfa_offset,
            },
            registers,
            changed: 1 << RBX,
            return_address: RegisterRule::AtCfa(-8),
            is_signal_frame: false,
        }
    }

    #[test]
    fn a_register_that_was_popped_already_is_not_read_again() {
        let mut callee = Registers::default();
        callee.general[usize::from(STACK_POINTER)] = 0x7008;
        callee.general[RBX] = 5;
        // After the pop only the return address is left, at 0x7008.
        let caller = row(8).apply(&callee, |address| (address == 0x7008).then_some(0xabc));
        let caller = caller.unwrap();
        assert_eq!(
            (
                caller.program_counter,
                caller.stack_pointer(),
                caller.general[RBX]
            ),
            (0xabc, 0x7010, 5)
        );
        // Before it, the saved value is at the stack pointer.
        callee.general[usize::from(STACK_POINTER)] = 0x7000;
        let caller = row(16).apply(&callee, Some).unwrap();
        assert_eq!(
            (caller.program_counter, caller.general[RBX]),
            (0x7008, 0x7000)
        );
    }
}
