//! The processes that a connection keeps from sending.
//!
//! A process that sends to a node for which too much waits already is suspended, and the connection keeps a list of
//! them: a circle whose elements know both neighbours.

use target_memory::{TargetMemory, u64_at};
use vm_layout::distribution::{SUSPENDED_NEXT, SUSPENDED_PID, SUSPENDED_PREVIOUS};
use vm_layout::emulator_image::is_pointer;

use super::OtherNode;
use crate::processes::is_local_pid;

/// Processes of one connection that are read.
const MOST_SUSPENDED: usize = 20_000;
/// How often a list that changes is read.
const LOOKS: u32 = 3;
const ELEMENT_BYTES: usize = 32;

/// The pid terms of the processes that the connection to this node has suspended; at most 20,000. Empty also where
/// the list changes whenever it is read.
pub fn suspended_processes(memory: &impl TargetMemory, node: &OtherNode) -> Vec<u64> {
    let heads = node.suspended.into_iter().filter(|head| *head != 0);
    for head in heads {
        let circle = (0..LOOKS).find_map(|_| circle(memory, head));
        if let Some(circle) = circle {
            return circle;
        }
    }
    Vec::new()
}

/// All elements from `head` round to it; `None` when they are not a circle of processes.
fn circle(memory: &impl TargetMemory, head: u64) -> Option<Vec<u64>> {
    let (mut at, mut before) = (head, None);
    let mut found = Vec::new();
    let mut first_before = None;
    while found.len() < MOST_SUSPENDED {
        if !is_pointer(at, 8) {
            return None;
        }
        let bytes = memory.read_vec(at, ELEMENT_BYTES, ELEMENT_BYTES).ok()?;
        let pid = u64_at(&bytes, SUSPENDED_PID).filter(|pid| is_local_pid(*pid))?;
        let previous = u64_at(&bytes, SUSPENDED_PREVIOUS)?;
        match before {
            None => first_before = Some(previous),
            Some(before) if before == previous => {}
            Some(_) => return None,
        }
        found.push(pid);
        let next = u64_at(&bytes, SUSPENDED_NEXT)?;
        if next == head {
            return (first_before == Some(at)).then_some(found);
        }
        (at, before) = (next, Some(at));
    }
    // Of a longer one, its first: each of them knew the one before it.
    Some(found)
}

#[cfg(test)]
mod tests {
    use target_memory::SnapshotMemory;

    use super::*;
    use crate::nodes::NodeState;

    fn node(suspended: [u64; 2]) -> OtherNode {
        OtherNode {
            name: "shop@host".to_owned(),
            state: NodeState::Visible,
            queue: None,
            suspended,
        }
    }

    /// Elements with pid, next and previous, 0x100 apart from 0x1000 on.
    fn list(elements: &[(u64, u64, u64)]) -> SnapshotMemory {
        let mut memory = SnapshotMemory::new();
        for (index, (pid, next, previous)) in elements.iter().enumerate() {
            let at = 0x10_000 + index as u64 * 0x100;
            memory.map_words(at, &[*pid, 0, *next, *previous]);
        }
        memory
    }

    const A: u64 = 0x10_000;
    const B: u64 = 0x10_100;

    #[test]
    fn a_circle_of_processes_is_read_from_wherever_it_hangs() {
        let alone = list(&[(0x83, A, A)]);
        assert_eq!(suspended_processes(&alone, &node([A, 0])), [0x83]);
        let two = list(&[(0x83, B, B), (0x93, A, A)]);
        assert_eq!(suspended_processes(&two, &node([0, B])), [0x93, 0x83]);
    }

    #[test]
    fn what_is_no_circle_of_processes_is_none() {
        let none =
            |elements: &[(u64, u64, u64)]| suspended_processes(&list(elements), &node([A, 0]));
        assert_eq!(none(&[(0x83, B, B), (0x93, A, B)]), [], "not its neighbour");
        assert_eq!(none(&[(0x83, 0, A)]), [], "an open end");
        assert_eq!(none(&[(0x87, A, A)]), [], "a port");
        // One that bites its tail without its head.
        assert_eq!(none(&[(0x83, B, B), (0x93, B, A)]), []);
        assert_eq!(suspended_processes(&list(&[]), &node([0, 0])), []);
    }
}
