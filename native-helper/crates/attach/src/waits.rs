//! Where the processes of an attached VM wait.

use erlang_stack::walk::{ErlangFrame, Strays, WalkRules, walk};
use target_memory::{TargetMemory, bytes_to_words};
use vm_code::generations::Located;
use vm_processes::{Awaited, RestingStack, Waiter};

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
    Waits(Box<WaitingStack>),
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
    /// The process, with the words of its innermost frame.
    pub waiter: Waiter,
}

/// Words of a frame that are looked at: no call has more variables.
const MAX_VARIABLES: usize = 64;

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

    /// Whom these processes wait for, that wait in a call: some hundred at once.
    ///
    /// # Errors
    /// As for [`Self::processes`].
    pub fn awaited(&mut self, waiters: &[Waiter]) -> Result<Vec<Awaited>, AttachError> {
        self.look(|vm| Ok(vm.process_reader()?.awaited(waiters)))
    }

    /// For which of the `busy` ports these processes wait, that are suspended in a call which sends or wait in it
    /// for the port's answer: some hundred at once.
    ///
    /// # Errors
    /// As for [`Self::processes`].
    pub fn awaited_ports(
        &mut self,
        waiters: &[Waiter],
        busy: impl Fn(u64) -> bool,
    ) -> Result<Vec<Awaited<u64>>, AttachError> {
        self.look(|vm| Ok(vm.process_reader()?.awaited_ports(waiters, &busy)))
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
            true => WaitLook::Waits(Box::new(WaitingStack {
                goes_on_at: entry.i,
                callers: frames.iter().map(|frame| frame.return_address).collect(),
                is_cut,
                waiter: Waiter {
                    entry,
                    variables: variables(&words, &frames, entry.hend.wrapping_sub(entry.stop)),
                },
            })),
            false => WaitLook::Unproven,
        }
    }
}

/// The words of the innermost frame: those above the first return address.
fn variables(words: &[u8], frames: &[ErlangFrame], stack_bytes: u64) -> Vec<u64> {
    let above = frames
        .first()
        .map_or(0, |frame| stack_bytes.saturating_sub(frame.depth_bytes) / 8);
    let above = usize::try_from(above).unwrap_or(usize::MAX);
    let above = match frames.is_empty() {
        // One that called nobody yet: all of its stack but the bottom.
        true => MAX_VARIABLES,
        false => above.min(MAX_VARIABLES),
    };
    bytes_to_words(words).take(above).collect()
}
