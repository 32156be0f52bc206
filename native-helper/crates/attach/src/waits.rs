//! Where the processes of an attached VM wait.

use erlang_stack::walk::{ErlangFrame, Strays, WalkRules, walk};
use target_memory::{TargetMemory, bytes_to_words};
use vm_code::generations::Located;
use vm_processes::RestingStack;

use crate::error::AttachError;
use crate::vm::AttachedVm;

/// What a look at one process found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WaitLook {
    /// It has ended, or worked meanwhile.
    Restless,
    /// It rested, and what is on its stack is no stack.
    Unproven,
    /// It waits.
    Waits(WaitingStack),
}

/// Where a process waits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WaitingStack {
    /// Where it goes on.
    pub goes_on_at: u64,
    /// Return addresses, the innermost first.
    pub callers: Vec<u64>,
    /// The outermost ones are missing: the stack is longer than what is read of it.
    pub is_cut: bool,
}

impl<M: TargetMemory> AttachedVm<M> {
    /// Where the processes at these places wait: some hundred at once.
    ///
    /// # Errors
    /// As for [`Self::processes`].
    pub fn waiting_stacks(&mut self, places: &[(u64, u64)]) -> Result<Vec<WaitLook>, AttachError> {
        let stacks = self.look(|vm| Ok(vm.process_reader()?.resting_stacks(places)))?;
        let looks = stacks.into_iter().map(|stack| match stack {
            None => WaitLook::Restless,
            Some(stack) => self.proven(stack),
        });
        Ok(looks.collect())
    }

    /// A stack counts when every word of it is a term or leads to code, and it ends as all do.
    fn proven(&self, stack: RestingStack) -> WaitLook {
        let RestingStack {
            entry,
            words,
            is_cut,
        } = stack;
        let rules = WalkRules {
            normal_exit: self.code.normal_exit,
            top: entry.stop,
            end: entry.hend,
            strays: Strays::Suspect,
            frame_pointers: self.code.frame_pointers,
            moved_down_bytes: 0,
        };
        let is_code = |address: u64| {
            let before = self.code.locate(address.wrapping_sub(1));
            matches!(before, Located::Known(_))
        };
        let mut frames: Vec<ErlangFrame> = Vec::new();
        let end = walk(&rules, bytes_to_words(&words), is_code, &mut frames);
        match end.stray_words == 0 && end.complete != is_cut {
            true => WaitLook::Waits(WaitingStack {
                goes_on_at: entry.i,
                callers: frames.iter().map(|frame| frame.return_address).collect(),
                is_cut,
            }),
            false => WaitLook::Unproven,
        }
    }
}
