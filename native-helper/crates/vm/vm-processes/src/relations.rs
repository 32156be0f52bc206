//! Links and monitors of processes.
//!
//! A process keeps its links in a tree by the other process, and the monitors it has set in one by their
//! references. Only the process itself changes them, while it runs: one that rested had them all the time.
//! The trees of several processes are walked in step, one system call for all nodes of a level.

use erlang_terms::{Boxed, Term};
use shared_map::HashMap;
use target_memory::{Range, TargetMemory, address_at, read_each, u16_at, u64_at};
use vm_layout::process_details::{ProcessDetails, RELATION_BELOW, RELATION_KEY_BEHIND};
use vm_tables::atoms::AtomTable;
use vm_tables::nodes::is_node_name;
use vm_tables::pids::PidFormat;

/// Relations of one process that are read; the relations of a process with more are unknown.
const MAX_RELATIONS: usize = 1 << 20;
/// And of all processes whose trees are walked together.
const MAX_ALL_RELATIONS: usize = 1 << 21;
/// Levels of a tree: a balanced one of this many relations has fewer.
const MAX_LEVELS: usize = 40;
/// Bytes of nodes that are read at once.
const MAX_PORTION_BYTES: usize = 8 << 20;
/// A node from its start to behind its flags.
const NODE_BYTES: usize = 48;
/// Subtags of references and of pids of other nodes.
const REFERENCE_SUBTAG: u64 = 4;
const OTHER_PID_SUBTAG: u64 = 12;
/// The header of a reference and its numbers.
const REFERENCE_BYTES: usize = 24;
/// In the first word behind the header of a reference that is made for its number, also of one that can be sent to: its
/// lower half is all ones. Handles of tables, counters and resources of NIFs are references, too, and have an aligned
/// address there. `test/inside/waits-for.test.mjs` holds it on each release.
const REFERENCE_MARKER: u64 = 0xffff_ffff;
/// In a pid of another node: that node, and its data.
const OTHER_NODE: usize = 8;
const OTHER_DATA: usize = 24;
/// In a node of the cluster: its name.
const NODE_NAME: u64 = 24;
const ATOM_BITS: u32 = 6;
/// From the key of a monitor on another node to the name that it is by: the key is followed by how many refer to it.
const NAME_BEHIND_KEY: u64 = 16;

/// A link or a monitor.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Relation {
    /// The other process: a pid term, or a pointer to one of another node.
    pub other: u64,
    /// The key by which it is found: the other process, or the reference, a term.
    pub key: u64,
    /// Of a monitor on a name that a process has on another node: that name, an atom, and `other` is the node's;
    /// else 0.
    pub name: u64,
}

/// A process that another one knows of.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Other {
    /// Of this node: its pid term.
    Here(u64),
    /// Of another one.
    Elsewhere {
        /// Its pid as this node prints it.
        pid: String,
        /// `shop@host`.
        node: String,
    },
    /// Whichever process has this name on another node.
    Named {
        /// The name.
        name: String,
        /// `shop@host`.
        node: String,
    },
}

/// All relations in each of these trees, by the pointer to its top; `None` for those that are invalid or too
/// large.
pub(crate) fn trees(
    memory: &impl TargetMemory,
    details: &ProcessDetails,
    tops: &[u64],
) -> Vec<Option<Vec<Relation>>> {
    let mut found: Vec<Option<Vec<Relation>>> = vec![Some(Vec::new()); tops.len()];
    let mut level: Vec<(usize, u64)> = tops.iter().copied().enumerate().collect();
    let mut keys: Vec<(usize, u64)> = Vec::new();
    let has_room = |keys: &[_]| keys.len() < MAX_ALL_RELATIONS;
    for depth in 0.. {
        level.retain(|(tree, node)| *node != 0 && found[*tree].is_some());
        if level.is_empty() {
            break;
        }
        let nodes = read_at(memory, &level, NODE_BYTES);
        let mut below = Vec::new();
        for ((tree, address), bytes) in level.into_iter().zip(nodes) {
            let node = bytes.and_then(|bytes| node(details, address, &bytes));
            let relations = &mut found[tree];
            match (relations.as_mut(), node) {
                (Some(of_tree), Some((other, key, next)))
                    if of_tree.len() < MAX_RELATIONS && depth < MAX_LEVELS && has_room(&keys) =>
                {
                    of_tree.push(Relation {
                        other,
                        key: 0,
                        name: 0,
                    });
                    keys.push((tree, key));
                    below.extend(next.map(|node| (tree, node)));
                }
                _ => *relations = None,
            }
        }
        level = below;
    }
    let read = read_at(memory, &keys, 8);
    let mut next = vec![0; tops.len()];
    let mut named: Vec<(usize, usize)> = Vec::new();
    let mut names: Vec<(usize, u64)> = Vec::new();
    for ((tree, at), key) in keys.into_iter().zip(read) {
        let place: &mut usize = &mut next[tree];
        match (found[tree].as_mut(), key.and_then(|key| u64_at(&key, 0))) {
            (Some(relations), Some(key)) => {
                if let Some(relation) = relations.get_mut(*place) {
                    relation.key = key;
                    // Behind the key of a monitor on another node is a name, if it is by one.
                    if let (Term::Atom(_), Ok(at)) =
                        (Term::of(relation.other), address_at(at, NAME_BEHIND_KEY))
                    {
                        named.push((tree, *place));
                        names.push((tree, at));
                    }
                }
            }
            _ => found[tree] = None,
        }
        *place += 1;
    }
    read_names(memory, &mut found, &named, &names);
    found
}

/// Puts the names that lie at `names`, each with its tree, into the relations at `named`: tree and place in it.
fn read_names(
    memory: &impl TargetMemory,
    found: &mut [Option<Vec<Relation>>],
    named: &[(usize, usize)],
    names: &[(usize, u64)],
) {
    for ((tree, place), name) in named.iter().zip(read_at(memory, names, 8)) {
        let name = name.and_then(|name| u64_at(&name, 0));
        let relation = found[*tree].as_mut().and_then(|it| it.get_mut(*place));
        if let (Some(relation), Some(name)) = (relation, name) {
            relation.name = name;
        }
    }
}

/// The other process of a node, the address of its key, and the nodes below it.
fn node(details: &ProcessDetails, address: u64, bytes: &[u8]) -> Option<(u64, u64, [u64; 2])> {
    let other = u64_at(bytes, details.relation_other)?;
    let key = u16_at(bytes, details.relation_other + RELATION_KEY_BEHIND)?;
    let below = [
        u64_at(bytes, RELATION_BELOW[0])?,
        u64_at(bytes, RELATION_BELOW[1])?,
    ];
    Some((other, address_at(address, key.into()).ok()?, below))
}

/// Reads them in portions: a tree of a million has half of them in its last level.
fn read_at(
    memory: &impl TargetMemory,
    places: &[(usize, u64)],
    len_bytes: usize,
) -> Vec<Option<Vec<u8>>> {
    let portions = places.chunks(MAX_PORTION_BYTES / NODE_BYTES);
    portions
        .flat_map(|portion| {
            let ranges = Range::at_each(portion.iter().map(|(_, address)| *address), len_bytes);
            read_each(memory, &ranges, MAX_PORTION_BYTES)
        })
        .collect()
}

/// The number of the port that a relation is with, as `#Port<0.4>` has it; `None` if it is not with
/// a port.
pub fn port_of(relation: &Relation, format: PidFormat) -> Option<u64> {
    matches!(Term::of(relation.other), Term::Port(_)).then(|| format.port_number(relation.other))
}

/// The identity of the reference at each of these terms; other terms are left out, and so are handles of other things
/// than calls: tables, counters, resources of NIFs.
pub(crate) fn references(memory: &impl TargetMemory, terms: &[u64]) -> HashMap<u64, [u64; 2]> {
    let boxed: Vec<(usize, u64)> = terms
        .iter()
        .enumerate()
        .filter_map(|(index, term)| match Term::of(*term) {
            Term::Boxed(address) => Some((index, address)),
            _ => None,
        })
        .collect();
    let read = read_at(memory, &boxed, REFERENCE_BYTES);
    let known = boxed
        .into_iter()
        .zip(read)
        .filter_map(|((index, _), bytes)| {
            let bytes = bytes?;
            let boxed = Boxed::of(u64_at(&bytes, 0)?)?;
            let is_reference = boxed.subtag == REFERENCE_SUBTAG && boxed.words >= 2;
            // One that can be sent to has its process behind its numbers.
            let numbers = [u64_at(&bytes, 8)?, u64_at(&bytes, 16)?];
            let is_marked = numbers[0] & REFERENCE_MARKER == REFERENCE_MARKER;
            (is_reference && is_marked).then_some((terms[index], numbers))
        });
    known.collect()
}

/// The process at the other end of a relation; `None` for anything else, and where it is unknown.
pub(crate) fn other(
    memory: &impl TargetMemory,
    atoms: &mut AtomTable,
    relation: Relation,
) -> Option<Other> {
    let address = match Term::of(relation.other) {
        Term::Pid(id) => return Some(Other::Here(id)),
        Term::Atom(_) => return named(memory, atoms, relation),
        Term::Boxed(address) => address,
        _ => return None,
    };
    let bytes = memory.read_vec(address, 32, 32).ok()?;
    let boxed = Boxed::of(u64_at(&bytes, 0)?)?;
    let node = u64_at(&bytes, OTHER_NODE).filter(|_| boxed.subtag == OTHER_PID_SUBTAG)?;
    let name = memory.read_u64(address_at(node, NODE_NAME).ok()?).ok()?;
    let Term::Atom(_) = Term::of(name) else {
        return None;
    };
    let text = atoms.name(memory, name).ok()?;
    let data = u64_at(&bytes, OTHER_DATA)?;
    is_node_name(text).then(|| Other::Elsewhere {
        pid: format!(
            "<{}.{}.{}>",
            name >> ATOM_BITS,
            data & u64::from(u32::MAX),
            data >> 32
        ),
        node: text.to_owned(),
    })
}

/// The process with a name on another node: both are atoms, and one of them is the name of a node.
fn named(memory: &impl TargetMemory, atoms: &mut AtomTable, relation: Relation) -> Option<Other> {
    let mut text = |term: u64| match Term::of(term) {
        Term::Atom(_) => atoms.name(memory, term).ok().map(str::to_owned),
        _ => None,
    };
    let (name, node) = (text(relation.name)?, text(relation.other)?);
    is_node_name(&node).then_some(Other::Named { name, node })
}

#[cfg(test)]
mod tests;
