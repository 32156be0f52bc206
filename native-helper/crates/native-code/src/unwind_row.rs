//! The unwind rules at one address, small and without borrowed parts, and how they are applied.

/// DWARF numbers of the registers that are named here. 0 to 15 are the general registers in DWARF
/// order (rax rdx rcx rbx rsi rdi rbp rsp r8..r15), 16 is the return address.
pub const REGISTER_RSP: u8 = 7;
/// See [`REGISTER_RSP`].
pub const REGISTER_RETURN_ADDRESS: u8 = 16;
/// General registers.
pub const REGISTER_COUNT: usize = 16;

/// The general registers and the instruction pointer of one frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Registers {
    /// In DWARF order: rax rdx rcx rbx rsi rdi rbp rsp r8..r15.
    pub general: [u64; REGISTER_COUNT],
    /// Instruction pointer.
    pub rip: u64,
}

macro_rules! named_registers {
    ($($name:ident = $number:literal),* $(,)?) => {
        impl Registers {
            $(
                #[doc = concat!("Value of ", stringify!($name), ".")]
                #[must_use]
                pub fn $name(&self) -> u64 {
                    self.general[$number]
                }
            )*
        }
    };
}

named_registers! {
    rax = 0, rdx = 1, rcx = 2, rbx = 3, rsi = 4, rdi = 5, rbp = 6, rsp = 7,
    r8 = 8, r9 = 9, r10 = 10, r11 = 11, r12 = 12, r13 = 13, r14 = 14, r15 = 15,
}

impl Registers {
    pub(crate) fn get(&self, register: u8) -> u64 {
        if register == REGISTER_RETURN_ADDRESS {
            return self.rip;
        }
        self.general
            .get(usize::from(register))
            .copied()
            .unwrap_or_default()
    }
}

/// Where the canonical frame address (the caller's rsp) is.
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
    /// `CFA = rsp + 8 + (rip & 15 >= pushed_from ? 8 : 0)`: PLT stubs, which push one word.
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
    pub registers: [RegisterRule; REGISTER_COUNT],
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
                let is_pushed = callee.rip & 15 >= u64::from(pushed_from);
                callee.rsp().wrapping_add(if is_pushed { 16 } else { 8 })
            }
        };
        // Signal handlers may run on a stack of their own, so only they may go down.
        if cfa <= callee.rsp() && !self.is_signal_frame {
            return Err(StepEnd::NotAdvancing);
        }
        let mut value = |rule, same| match rule {
            RegisterRule::SameValue | RegisterRule::Undefined => Ok(same),
            // An epilogue has popped what lies below the stack pointer: the register holds it again,
            // though compilers leave the rule of the saved one in place until the return.
            RegisterRule::AtCfa(offset) if plus(cfa, offset) < callee.rsp() => Ok(same),
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
        caller.rip = value(self.return_address, callee.rip)?;
        caller.general[usize::from(REGISTER_RSP)] = cfa;
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
        let mut registers = [RegisterRule::SameValue; REGISTER_COUNT];
        registers[RBX] = RegisterRule::AtCfa(-16);
        UnwindRow {
            cfa: CfaRule::Register {
                register: REGISTER_RSP,
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
        callee.general[usize::from(REGISTER_RSP)] = 0x7008;
        callee.general[RBX] = 5;
        // After the pop only the return address is left, at 0x7008.
        let caller = row(8).apply(&callee, |address| (address == 0x7008).then_some(0xabc));
        let caller = caller.unwrap();
        assert_eq!((caller.rip, caller.rsp(), caller.rbx()), (0xabc, 0x7010, 5));
        // Before it, the saved value is at the stack pointer.
        callee.general[usize::from(REGISTER_RSP)] = 0x7000;
        let caller = row(16).apply(&callee, Some).unwrap();
        assert_eq!((caller.rip, caller.rbx()), (0x7008, 0x7000));
    }
}
