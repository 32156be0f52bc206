//! The graph of waiting for processes and ports: edges by name, circles, and those at the ends.
//!
//! A process waits in one call at a time, so each has one edge at most, and following them leads to a process that
//! waits for none, or into a circle.

use std::cmp::Reverse;
use std::rc::Rc;

use protocol::waits::{
    UnknownCall, WaitedLock, WaitedPort, WaitedProcess, WaitingEdge, WaitingEnd, WaitsGraph,
};

use shared_map::{HashMap, HashSet};
use shared_sort::SharedSort;
use vm_processes::Other;

use super::calls::Idle;

const SHOWN_EDGES: usize = 1000;
const SHOWN_CYCLES: usize = 100;
/// Of a longer circle, its first ones.
const SHOWN_IN_CYCLE: usize = 100;
const SHOWN_ENDS: usize = 100;
const SHOWN_UNKNOWN: usize = 200;
const SHOWN_PIDS: usize = 5;

/// One that waits.
#[derive(Debug)]
pub(super) struct Edge {
    /// Its pid term.
    pub from: u64,
    /// Its name.
    pub name: Rc<str>,
    /// The call it waits in.
    pub call: Rc<str>,
    /// The awaited process, port or connection.
    pub to: Target,
    /// Where that is not the process that it called.
    pub via: Option<Via>,
    /// The lock for which it waits, if it waits for one.
    pub lock: Option<WaitedLock>,
    /// Its wait has a time limit.
    pub has_limit: bool,
}

/// The process that was called, and has handed the request on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Via {
    /// Its pid term.
    pub server: u64,
    /// The awaited one has the request; otherwise it has or had it.
    pub is_certain: bool,
}

/// One that waits in a call that is not known.
#[derive(Debug)]
pub(super) struct Unknown {
    /// Its pid term.
    pub from: u64,
    /// Its name.
    pub name: Rc<str>,
    /// The function it waits in.
    pub call: Rc<str>,
    /// Only the name of the function suggests that it waits for whatever comes, and nothing that it waits for an answer.
    pub may_be_idle: bool,
    /// The process it monitors with the reference in the frame in which it waits.
    pub monitors: Option<Target>,
    /// The only process in whose mailbox a message names it.
    pub asked: Option<Target>,
    /// The only process whose pid is in the frame in which it waits.
    pub keeps: Option<Target>,
}

/// An awaited process, port or connection.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Target {
    /// A process.
    Process(Other),
    /// A port that is busy: its id, a term.
    Port(u64),
    /// The connection to a node, for which too much waits.
    Node(Rc<str>),
}

impl Target {
    /// A process of this node, by its pid term.
    pub fn here(id: u64) -> Self {
        Self::Process(Other::Here(id))
    }
}

/// Facts about awaited processes, ports and connections, for the graph.
pub(super) trait Known {
    /// The identity of the process or port.
    fn process(&self, target: &Target) -> WaitedProcess;
    /// Its state, and its stack.
    fn state(&self, target: &Target) -> (Option<String>, Vec<String>);
    /// Whether it waits for whatever comes.
    fn idle(&self, target: &Target) -> Option<Idle>;
    /// Further facts about a port.
    fn port(&self, target: &Target) -> Option<WaitedPort>;
}

/// The graph of these edges, as the protocol reports it, with those in calls that are not known.
pub(super) fn graph(edges: &[Edge], unknown: &[Unknown], known: &impl Known) -> WaitsGraph {
    let (together, edges_left) = shown_edges(edges, known);
    let (maybe, unknown): (Vec<&Unknown>, Vec<&Unknown>) =
        unknown.iter().partition(|it| it.may_be_idle);
    let (unknown_calls, unknown_left) = shown_unknown(&unknown, known);
    let (maybe_calls, maybe_left) = shown_unknown(&maybe, known);
    let next: HashMap<u64, &Target> = edges.iter().map(|edge| (edge.from, &edge.to)).collect();
    let cycles = cycles(edges, &next);
    let ends = ends(edges, &next, &cycles);
    let limited: HashSet<u64> = edges
        .iter()
        .filter(|edge| edge.has_limit)
        .map(|edge| edge.from)
        .collect();
    let limited_in =
        |cycle: &Vec<u64>| cycle.iter().filter(|id| limited.contains(id)).count() as u64;
    let more = edges_left
        + unknown_left
        + maybe_left
        + cycles.len().saturating_sub(SHOWN_CYCLES)
        + ends.len().saturating_sub(SHOWN_ENDS);
    let shown_cycle = |cycle: &Vec<u64>| {
        let shown = cycle.iter().take(SHOWN_IN_CYCLE);
        shown.map(|id| known.process(&Target::here(*id))).collect()
    };
    let shown_end = |(target, counts): (&Target, Counts)| {
        let (status, stack) = known.state(target);
        let idle = known.idle(target);
        WaitingEnd {
            process: known.process(target),
            direct: counts.direct,
            all: counts.all,
            status,
            stack,
            idle: idle.is_some(),
            idle_by_name: idle == Some(Idle::ByName),
            port: known.port(target),
        }
    };
    WaitsGraph {
        edges: together,
        cycles: cycles.iter().take(SHOWN_CYCLES).map(shown_cycle).collect(),
        cycle_limits: cycles.iter().take(SHOWN_CYCLES).map(limited_in).collect(),
        unknown_calls,
        in_unknown_calls: unknown.len() as u64,
        maybe_calls,
        in_maybe_calls: maybe.len() as u64,
        in_c: Vec::new(),
        late: Vec::new(),
        late_unknown: false,
        ends: ends.into_iter().take(SHOWN_ENDS).map(shown_end).collect(),
        more: more as u64,
        unproven: 0,
        moved: 0,
        not_searched: 0,
    }
}

fn shown_edges(edges: &[Edge], known: &impl Known) -> (Vec<WaitingEdge>, usize) {
    let mut together: HashMap<_, Vec<&Edge>> = HashMap::new();
    for edge in edges {
        let key = (&*edge.name, &*edge.call, (&edge.to, edge.via, &edge.lock));
        together.entry(key).or_default().push(edge);
    }
    let mut together: Vec<_> = together.into_iter().collect();
    for (_, from) in &mut together {
        from.shared_sort_by_key(|edge| edge.from);
    }
    together.shared_sort_by(|((a, _, _), more), ((b, _, _), less)| {
        let first = |edges: &[&Edge]| edges.first().map(|edge| edge.from);
        (less.len(), a, first(more)).cmp(&(more.len(), b, first(less)))
    });
    let left = together.len().saturating_sub(SHOWN_EDGES);
    let shown = together.into_iter().take(SHOWN_EDGES);
    let shown = shown.map(|((name, call, (to, via, lock)), from)| WaitingEdge {
        waiters: name.to_owned(),
        processes: from.len() as u64,
        limited: from.iter().filter(|edge| edge.has_limit).count() as u64,
        pids: shown_pids(from.iter().map(|edge| edge.from), known),
        call: call.to_owned(),
        target: known.process(to),
        via: via.map(|via| known.process(&Target::here(via.server))),
        has_or_had: via.is_some_and(|via| !via.is_certain),
        lock: lock.clone(),
    });
    (shown.collect(), left)
}

fn shown_unknown(unknown: &[&Unknown], known: &impl Known) -> (Vec<UnknownCall>, usize) {
    let mut together: HashMap<_, Vec<u64>> = HashMap::new();
    for one in unknown {
        let whom = [&one.monitors, &one.asked, &one.keeps];
        let key = (&*one.name, &*one.call, whom);
        together.entry(key).or_default().push(one.from);
    }
    let mut together: Vec<_> = together.into_iter().collect();
    for (_, from) in &mut together {
        from.shared_sort();
    }
    together.shared_sort_by(|((a, _, _), more), ((b, _, _), less)| {
        (less.len(), a, more).cmp(&(more.len(), b, less))
    });
    let left = together.len().saturating_sub(SHOWN_UNKNOWN);
    let shown = together.into_iter().take(SHOWN_UNKNOWN);
    let process_of = |whom: &Option<Target>| whom.as_ref().map(|it| known.process(it));
    let shown = shown.map(|((name, call, whom), from)| UnknownCall {
        waiters: name.to_owned(),
        processes: from.len() as u64,
        pids: shown_pids(from.iter().copied(), known),
        call: call.to_owned(),
        monitors: process_of(whom[0]),
        asked: process_of(whom[1]),
        keeps: process_of(whom[2]),
    });
    (shown.collect(), left)
}

fn shown_pids(ids: impl Iterator<Item = u64>, known: &impl Known) -> Vec<String> {
    let shown = ids.take(SHOWN_PIDS);
    shown
        .map(|id| known.process(&Target::here(id)).pid)
        .collect()
}

fn follow(next: &HashMap<u64, &Target>, from: u64) -> Option<u64> {
    match next.get(&from)? {
        Target::Process(Other::Here(id)) => Some(*id),
        Target::Process(_) | Target::Port(_) | Target::Node(_) => None,
    }
}

/// All circles, the largest first, each from its least pid on.
fn cycles(edges: &[Edge], next: &HashMap<u64, &Target>) -> Vec<Vec<u64>> {
    let mut seen: HashMap<u64, usize> = HashMap::new();
    let mut found: Vec<Vec<u64>> = Vec::new();
    for (walk, edge) in edges.iter().enumerate() {
        let mut path = Vec::new();
        let mut at = Some(edge.from);
        while let Some(id) = at {
            match seen.get(&id) {
                // Where this walk was before, it went round.
                Some(before) if *before == walk => {
                    let began = path.iter().position(|one| *one == id).unwrap_or(0);
                    let mut cycle = path.split_off(began);
                    let least = (0..cycle.len()).min_by_key(|index| cycle[*index]);
                    cycle.rotate_left(least.unwrap_or(0));
                    found.push(cycle);
                    break;
                }
                Some(_) => break,
                None => {
                    seen.insert(id, walk);
                    path.push(id);
                    at = follow(next, id);
                }
            }
        }
    }
    found.shared_sort_by(|a, b| (b.len(), a).cmp(&(a.len(), b)));
    found
}

/// How many wait for one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Counts {
    direct: u64,
    all: u64,
}

/// Awaited processes and ports that wait for none, those with the most waiters first.
fn ends<'e>(
    edges: &'e [Edge],
    next: &HashMap<u64, &'e Target>,
    cycles: &[Vec<u64>],
) -> Vec<(&'e Target, Counts)> {
    let round: HashSet<u64> = cycles.iter().flatten().copied().collect();
    let mut counts: HashMap<&Target, Counts> = HashMap::new();
    // The end to which each one leads; `None`: a circle.
    let mut leads_to: HashMap<u64, Option<&Target>> = HashMap::new();
    for edge in edges {
        let mut path = Vec::new();
        let mut at = edge.from;
        let end = loop {
            if round.contains(&at) {
                break None;
            }
            if let Some(known) = leads_to.get(&at) {
                break *known;
            }
            path.push(at);
            match next.get(&at).copied() {
                Some(Target::Process(Other::Here(id))) if next.contains_key(id) => at = *id,
                end => break end,
            }
        };
        for id in path {
            leads_to.insert(id, end);
        }
        if let Some(end) = end {
            let of_end = counts.entry(end).or_default();
            of_end.all += 1;
            of_end.direct += u64::from(edge.to == *end);
        }
    }
    let mut ends: Vec<(&Target, Counts)> = counts.into_iter().collect();
    ends.shared_sort_by_key(|(target, counts)| (Reverse(counts.all), number(target)));
    ends
}

fn number(target: &Target) -> u64 {
    match target {
        Target::Process(Other::Here(id)) | Target::Port(id) => *id,
        Target::Process(_) | Target::Node(_) => u64::MAX,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    struct Plain;

    impl Known for Plain {
        fn process(&self, target: &Target) -> WaitedProcess {
            let (pid, node) = match target {
                Target::Process(Other::Here(id)) => (id.to_string(), None),
                Target::Process(Other::Elsewhere { pid, node }) => {
                    (pid.clone(), Some(node.clone()))
                }
                Target::Process(Other::Named { name, node }) => (name.clone(), Some(node.clone())),
                Target::Port(id) => (format!("port {id}"), None),
                Target::Node(node) => (node.to_string(), Some(node.to_string())),
            };
            WaitedProcess {
                pid,
                name: None,
                node,
            }
        }

        fn state(&self, _: &Target) -> (Option<String>, Vec<String>) {
            (None, Vec::new())
        }

        fn idle(&self, target: &Target) -> Option<Idle> {
            match target {
                Target::Process(Other::Here(3)) => Some(Idle::Known),
                Target::Process(Other::Here(7)) => Some(Idle::ByName),
                _ => None,
            }
        }

        fn port(&self, target: &Target) -> Option<WaitedPort> {
            let is_port = matches!(target, Target::Port(_));
            is_port.then(WaitedPort::default)
        }
    }

    fn of(edges: &[(u64, u64)]) -> WaitsGraph {
        let edge = |(from, to): &(u64, u64)| Edge {
            from: *from,
            name: "one".into(),
            call: "gen:do_call/4".into(),
            to: Target::here(*to),
            via: None,
            lock: None,
            // Those with an odd number.
            has_limit: from % 2 == 1,
        };
        graph(&edges.iter().map(edge).collect::<Vec<_>>(), &[], &Plain)
    }

    fn pids(cycles: &[Vec<WaitedProcess>]) -> Vec<Vec<&str>> {
        let cycles = cycles.iter();
        cycles
            .map(|cycle| cycle.iter().map(|one| one.pid.as_str()).collect())
            .collect()
    }

    #[test]
    fn all_of_a_chain_wait_for_the_one_at_its_end() {
        let graph = of(&[(1, 2), (2, 3), (4, 2), (5, 3), (6, 7)]);
        let ends: Vec<(&str, u64, u64)> = graph
            .ends
            .iter()
            .map(|end| (end.process.pid.as_str(), end.direct, end.all))
            .collect();
        assert_eq!(ends, [("3", 2, 4), ("7", 1, 1)]);
        assert!(graph.cycles.is_empty());
        let idle = graph.ends.iter().map(|end| (end.idle, end.idle_by_name));
        assert_eq!(idle.collect::<Vec<_>>(), [(true, false), (true, true)]);
        let edges: Vec<(u64, &str)> = graph
            .edges
            .iter()
            .map(|edge| (edge.processes, edge.target.pid.as_str()))
            .collect();
        assert_eq!(edges, [(2, "2"), (2, "3"), (1, "7")]);
        assert_eq!(graph.edges[0].pids, ["1", "4"]);
    }

    #[test]
    fn a_request_that_was_handed_on_leads_to_who_has_it() {
        let edge = |from, to, via: Option<bool>| Edge {
            from,
            name: "one".into(),
            call: "gen:do_call/4".into(),
            to: Target::here(to),
            via: via.map(|is_certain| Via {
                server: 3,
                is_certain,
            }),
            lock: None,
            has_limit: false,
        };
        let graph = graph(
            &[
                edge(1, 9, Some(true)),
                edge(2, 9, Some(true)),
                edge(4, 3, None),
                edge(5, 9, Some(false)),
            ],
            &[],
            &Plain,
        );
        let edges = graph.edges.iter().map(|it| {
            let via = it.via.as_ref().map(|via| via.pid.as_str());
            (it.processes, it.target.pid.as_str(), via, it.has_or_had)
        });
        assert_eq!(
            edges.collect::<Vec<_>>(),
            [
                (2, "9", Some("3"), false),
                (1, "3", None, false),
                (1, "9", Some("3"), true),
            ]
        );
        let ends: Vec<&str> = graph
            .ends
            .iter()
            .map(|it| it.process.pid.as_str())
            .collect();
        assert_eq!(ends, ["9", "3"]);
    }

    #[test]
    fn a_port_is_an_end_and_never_the_process_of_the_same_number() {
        let edge = |from, to| Edge {
            from,
            name: "one".into(),
            call: "erts_internal:port_command/3".into(),
            to,
            via: None,
            lock: None,
            has_limit: false,
        };
        let edges = [edge(1, Target::here(2)), edge(2, Target::Port(1))];
        let graph = graph(&edges, &[], &Plain);
        let [end] = graph.ends.as_slice() else {
            panic!("one end: {:?}", graph.ends);
        };
        assert_eq!(
            (end.process.pid.as_str(), end.direct, end.all),
            ("port 1", 1, 2)
        );
        assert!(end.port.is_some() && graph.cycles.is_empty());
    }

    #[test]
    fn a_circle_is_reported_once_and_has_no_end() {
        let graph = of(&[(9, 3), (3, 2), (2, 5), (5, 3), (7, 8), (8, 7), (4, 4)]);
        assert_eq!(
            pids(&graph.cycles),
            [vec!["2", "5", "3"], vec!["7", "8"], vec!["4"]]
        );
        assert_eq!(graph.cycle_limits, [2, 1, 0], "how many have a limit");
        assert!(graph.ends.is_empty(), "who waits for a circle has no end");
    }

    #[test]
    fn who_waits_in_a_call_that_is_not_known_is_counted_and_is_no_edge() {
        let one = |from, monitors| Unknown {
            from,
            name: "pool user".into(),
            call: "pool:checkout/1".into(),
            may_be_idle: false,
            monitors,
            asked: None,
            keeps: None,
        };
        let pool = || Some(Target::here(9));
        let maybe = Unknown {
            may_be_idle: true,
            ..one(4, None)
        };
        let unknown = [one(3, pool()), one(1, pool()), one(2, None), maybe];
        let graph = graph(&[], &unknown, &Plain);
        let shown: Vec<_> = graph
            .unknown_calls
            .iter()
            .map(|it| {
                (
                    it.processes,
                    &*it.pids[0],
                    it.monitors.as_ref().map(|on| &*on.pid),
                )
            })
            .collect();
        assert_eq!(shown, [(2, "1", Some("9")), (1, "2", None)]);
        assert_eq!((graph.in_unknown_calls, graph.in_maybe_calls), (3, 1));
        assert_eq!(graph.maybe_calls.len(), 1);
        assert_eq!(graph.maybe_calls[0].pids, ["4"]);
        assert!(graph.edges.is_empty() && graph.ends.is_empty());
    }

    proptest! {
        #[test]
        fn any_graph_is_walked_to_its_ends(to in prop::collection::vec(0u64..40, 1..40)) {
            let edges: Vec<(u64, u64)> = to.iter().enumerate().map(|(from, to)| (from as u64, *to)).collect();
            let graph = of(&edges);
            let waiting: u64 = graph.ends.iter().map(|end| end.all).sum();
            // By following each for itself.
            let next = |id: u64| edges.get(id as usize).map(|(_, to)| *to);
            let ends = edges.iter().filter(|(from, _)| {
                let mut at = Some(*from);
                for _ in 0..=edges.len() { at = at.and_then(next); }
                at.is_none()
            });
            prop_assert_eq!(waiting, ends.count() as u64);
            prop_assert_eq!(graph.edges.iter().map(|edge| edge.processes).sum::<u64>(), edges.len() as u64);
        }
    }
}
