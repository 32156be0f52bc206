//! Processes below those that started them.

use shared_map::HashMap;

use crate::listed::ListedProcess;

/// A process in the tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Node {
    /// Its place among the processes.
    pub place: usize,
    /// Where the one above it is in the tree; `None` at the top.
    pub above: Option<usize>,
    /// 1 at the top.
    pub level: u32,
    /// Processes of it and below it that are wanted.
    pub wanted: u64,
    /// Those next below it that are wanted, or have some that are below them.
    pub children: u64,
}

/// All processes, each after the one above it, and those below one in the order of `places`. A process whose
/// parent has ended is at the top. Parents that lead in a circle, which only words that are none make, are
/// broken up where they are met first.
pub(crate) fn tree(
    processes: &[ListedProcess],
    places: &[usize],
    is_wanted: impl Fn(&ListedProcess) -> bool,
) -> Vec<Node> {
    let by_id: HashMap<u64, usize> = places
        .iter()
        .map(|place| (processes[*place].id, *place))
        .collect();
    let parent_of = |place: usize| {
        let parent = processes[place].parent?;
        by_id.get(&parent).copied().filter(|it| *it != place)
    };
    let mut below: HashMap<usize, Vec<usize>> = HashMap::new();
    let mut tops = Vec::new();
    for place in places {
        match parent_of(*place) {
            Some(parent) => below.entry(parent).or_default().push(*place),
            None => tops.push(*place),
        }
    }
    let mut nodes = Vec::with_capacity(places.len());
    let mut is_met = vec![false; processes.len()];
    for top in tops.iter().chain(places) {
        let mut waiting = vec![(*top, None, 1)];
        while let Some((place, above, level)) = waiting.pop() {
            if std::mem::replace(&mut is_met[place], true) {
                continue;
            }
            let here = nodes.len();
            nodes.push(Node {
                place,
                above,
                level,
                wanted: u64::from(is_wanted(&processes[place])),
                children: 0,
            });
            // The last one that is put there is met first.
            let children = below.get(&place).into_iter().flatten().rev();
            waiting.extend(children.map(|child| (*child, Some(here), level.saturating_add(1))));
        }
    }
    for at in (0..nodes.len()).rev() {
        let Node { above, wanted, .. } = nodes[at];
        if let (Some(above), true) = (above, wanted > 0) {
            nodes[above].wanted += wanted;
            nodes[above].children += 1;
        }
    }
    nodes
}
