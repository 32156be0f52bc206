//! Increments that have ended and are not taken yet: none is while a disk hangs or a process is stopped.

use std::collections::VecDeque;

/// How much of a capture may wait in memory.
#[derive(Debug, Clone, Copy)]
pub struct Bounds {
    /// What an increment takes in memory when it ends by itself, about, bytes.
    pub increment_bytes: usize,
    /// Increments that have ended, compressed, bytes. The last of them may exceed it.
    pub waiting_bytes: usize,
}

impl Default for Bounds {
    fn default() -> Self {
        Self {
            increment_bytes: 16 << 20,
            waiting_bytes: 64 << 20,
        }
    }
}

#[derive(Debug, Default)]
pub(super) struct Waiting {
    pub bounds: Bounds,
    members: VecDeque<Vec<u8>>,
    bytes: usize,
}

impl Waiting {
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    pub fn is_full(&self) -> bool {
        self.bytes >= self.bounds.waiting_bytes
    }

    pub fn bytes(&self) -> usize {
        self.bytes
    }

    pub fn push(&mut self, mut member: Vec<u8>) {
        member.shrink_to_fit();
        self.bytes += member.len();
        self.members.push_back(member);
    }

    pub fn pop(&mut self) -> Option<Vec<u8>> {
        let member = self.members.pop_front()?;
        self.bytes -= member.len();
        Some(member)
    }
}
