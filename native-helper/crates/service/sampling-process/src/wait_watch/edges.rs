//! The processes or ports that the processes of the last snapshot wait for.

use std::collections::BTreeSet;
use std::rc::Rc;

use attach::{AttachError, AttachedVm};
use process_list::ListedProcess;
use protocol::waits::{SleepingInC, WaitedLock, WaitedPort, WaitedProcess, WaitsGraph};
use shared_map::{HashMap, HashSet};
use shared_sort::SharedSort;
use vm_processes::{
    Awaited, HeldReferences, Kept, LOCKER, Lock, LockMode, Other, Reference, Status, Waiter,
};
use vm_tables::pids::PidFormat;
use vm_tables::ports::Port;

use super::calls::{BelowCall, Idle, Leads, below_call, call as leads, idle, is_loop, is_send};
use super::graph::{Edge, Known, Target, Unknown, Via, graph};
use super::groups::Groups;
use super::handed_on::{Call, Holder, MayHave, Workers, follow};
use super::late::{Names, Timed, TimerWatch, late};
use super::{AT_ONCE, PAUSE};
use crate::in_c::InC;
use crate::process_watch::ProcessWatch;

/// Most processes in calls whose awaited process is looked up; of each some hundred bytes are kept.
const MOST_CALLERS: usize = 100_000;
/// Mailboxes in which requests of others are looked for.
const MOST_MAILBOXES: usize = 1000;
/// Callers of servers that wait for whatever comes whose requests are looked for.
const MOST_FOR_IDLE: usize = 2000;
/// It loads modules by processes that it monitors, and answers when they are done.
const CODE_SERVER: &str = "code_server";
/// Frames of one that others wait for.
const SHOWN_END_FRAMES: usize = 16;

/// A process that waits.
struct Caller {
    waiter: Waiter,
    name: Rc<str>,
    call: Rc<str>,
    /// Whether that is a function that another one called.
    below: BelowCall,
}

/// Processes of the last snapshot that wait for something identifiable.
#[derive(Default)]
pub(super) struct Callers {
    /// In a call that is known to lead to the awaited process.
    calling: Vec<Caller>,
    /// In a call that sends to a port.
    sending: Vec<Caller>,
    /// Suspended in any other function.
    suspended: Vec<Caller>,
    /// In unknown functions.
    elsewhere: Vec<Caller>,
    /// Those that wait with a time limit.
    timed: Vec<Timed>,
    /// Those for which there was no room.
    uncounted: u64,
}

impl Callers {
    /// Adds a process that waits with this stack, innermost first, if its call may lead to the awaited process or port.
    pub fn note(&mut self, waiter: Waiter, called: &str, stack: &[Rc<str>]) {
        let is_timed =
            Status::of(waiter.entry.state) == Status::Waiting && waiter.entry.has_limit();
        if is_timed && self.timed.len() < MOST_CALLERS {
            self.timed.push(Timed {
                entry: waiter.entry,
            });
        }
        let Some(call) = stack.first().map(Rc::clone) else {
            return;
        };
        let waiting = match Status::of(waiter.entry.state) {
            status if is_send(&call, status) => &mut self.sending,
            Status::Suspended => &mut self.suspended,
            _ if leads(&call).is_some() => &mut self.calling,
            Status::Waiting if !is_loop(&call) => &mut self.elsewhere,
            _ => return,
        };
        match waiting.len() < MOST_CALLERS {
            true => waiting.push(Caller {
                waiter,
                name: called.into(),
                call,
                below: below_call(stack),
            }),
            false => self.uncounted += 1,
        }
    }

    /// A graph without an edge because they could not be found: those in a call wait for processes that are not known.
    fn not_found(&self) -> WaitsGraph {
        let in_calls = [
            &self.calling,
            &self.sending,
            &self.suspended,
            &self.elsewhere,
        ];
        let in_calls = in_calls.into_iter().map(|callers| callers.len() as u64);
        WaitsGraph {
            late_unknown: true,
            unproven: in_calls.fold(self.uncounted, u64::saturating_add),
            ..WaitsGraph::default()
        }
    }

    /// The graph of the waiting; without an edge for a VM that has ended.
    pub fn graph(
        mut self,
        vm: &mut AttachedVm,
        (processes, groups): (&ProcessWatch, &Groups),
        timers: &mut TimerWatch,
        in_c: Vec<InC>,
    ) -> WaitsGraph {
        let not_found = self.not_found();
        let Ok(pids) = vm.look(|vm| vm.pid_format()) else {
            return not_found;
        };
        let mut known = LastLook {
            processes: processes.each().map(|(_, it)| (it.id, it)).collect(),
            places: processes.each().map(|(place, it)| (it.id, place)).collect(),
            addresses: processes
                .each()
                .map(|((_, address), it)| (address, it.id))
                .collect(),
            pids,
            ports: HashMap::new(),
            connections: HashMap::new(),
            in_c: HashMap::new(),
            mailboxes: processes
                .each()
                .filter(|(_, it)| it.mailbox > 0)
                .map(|(place, it)| (it.id, place))
                .collect(),
            locker: processes
                .each()
                .find(|(_, it)| it.name.as_deref() == Some(LOCKER))
                .map(|(place, _)| place),
            groups,
        };
        let timed = std::mem::take(&mut self.timed);
        let late_limits = late(vm, timers, &timed, &in_c, &known).ok().flatten();
        known.in_c = in_c
            .into_iter()
            .map(|it| (it.id, known.named(it)))
            .collect();
        let is_idle = |id: &u64| known.idle(&Target::here(*id)).is_some();
        let mut found = FoundEdges {
            idle: known.processes.keys().copied().filter(is_idle).collect(),
            unproven: self.uncounted,
            ..FoundEdges::default()
        };
        match self.find(vm, &mut known, &mut found) {
            Ok(unknown) => {
                // Where that cannot be found out, they wait for the server that they called.
                let before = found.not_searched;
                if handed_on(vm, &known, &mut found).is_err() {
                    // Some may have been counted by then.
                    found.not_searched = before + found.for_idle.len() as u64;
                }
                let mut graph = graph(&found.edges, &unknown, &known);
                (graph.unproven, graph.moved) = (found.unproven, found.moved);
                graph.not_searched = found.not_searched;
                graph.late_unknown = late_limits.is_none();
                graph.late = late_limits.unwrap_or_default();
                graph.in_c = known.in_c.into_values().collect();
                let longest = |a: &SleepingInC, b: &SleepingInC| b.seconds.total_cmp(&a.seconds);
                graph
                    .in_c
                    .shared_sort_by(|a, b| longest(a, b).then(a.thread_id.cmp(&b.thread_id)));
                graph
            }
            Err(_) => not_found,
        }
    }

    /// Finds the process or port that each waits for; the rest are in calls that are not known.
    fn find(
        mut self,
        vm: &mut AttachedVm,
        known: &mut LastLook<'_>,
        found: &mut FoundEdges,
    ) -> Result<Vec<Unknown>, AttachError> {
        self.held_by_connections(vm, known, found)?;
        let (related, asked): (Vec<Caller>, Vec<Caller>) = self
            .calling
            .into_iter()
            .partition(|caller| leads(&caller.call) == Some(Leads::Relation));
        let (locking, asked): (Vec<Caller>, Vec<Caller>) = asked
            .into_iter()
            .partition(|caller| leads(&caller.call) == Some(Leads::Lock));
        found.add(related, |waiters, _| {
            let awaited = vm.awaited(waiters)?.into_iter();
            Ok(awaited.map(|one| one.map(Target::Process)).collect())
        })?;
        found.add(locking, |waiters, _| match known.locker {
            Some(locker) => {
                let awaited = vm.awaited_locks(locker, waiters)?.into_iter();
                Ok(awaited.map(|one| one.map(locked)).collect())
            }
            None => Ok(vec![Awaited::Unproven; waiters.len()]),
        })?;
        let by_name = |name: &str| {
            let named = |it: &&&ListedProcess| it.name.as_deref() == Some(name);
            known.processes.values().find(named).map(|it| it.id)
        };
        found.add(asked, |waiters, calls| {
            let rested = vm.rest(waiters)?.into_iter();
            let targets = waiters
                .iter()
                .zip(calls)
                .map(|(waiter, call)| match leads(call) {
                    Some(Leads::Name(name)) => by_name(name),
                    _ => waiter.only_pid(),
                });
            let awaited = rested
                .zip(targets)
                .map(|(rested, target)| match (rested, target) {
                    (false, _) => Awaited::Moved,
                    (true, None) => Awaited::Unproven,
                    (true, Some(id)) => Awaited::One(Target::here(id)),
                });
            Ok(awaited.collect())
        })?;
        if !self.sending.is_empty() {
            // Where the ports cannot be read, none of them is known to be busy.
            known.ports = vm.busy_ports().unwrap_or_default();
        }
        found.add(self.sending, |waiters, _| {
            let is_busy = |port| known.ports.contains_key(&port);
            let awaited = vm.awaited_ports(waiters, is_busy)?.into_iter();
            Ok(awaited.map(|one| one.map(Target::Port)).collect())
        })?;
        let asked = match self.elsewhere.is_empty() {
            true => HashMap::new(),
            false => requests(vm, &known.mailboxes)?,
        };
        unknown(vm, self.elsewhere, &asked, found)
    }

    /// A suspended process that is in the list of a connection waits for that connection. The others were
    /// suspended by a process.
    fn held_by_connections(
        &mut self,
        vm: &mut AttachedVm,
        known: &mut LastLook<'_>,
        found: &mut FoundEdges,
    ) -> Result<(), AttachError> {
        let suspended = std::mem::take(&mut self.suspended);
        if suspended.is_empty() {
            return Ok(());
        }
        // Where the nodes cannot be read, none of them is known to be busy.
        let mut held: HashMap<u64, Rc<str>> = HashMap::new();
        for connection in vm.busy_connections().unwrap_or_default() {
            let node: Rc<str> = connection.node.into();
            let waits = connection.suspended.into_iter();
            held.extend(waits.map(|pid| (pid, Rc::clone(&node))));
            let bytes = connection.queue.map(|queue| queue.bytes);
            known.connections.insert(node, bytes);
        }
        let (by_connection, others): (Vec<Caller>, Vec<Caller>) = suspended
            .into_iter()
            .partition(|caller| held.contains_key(&caller.waiter.entry.id));
        found.add(by_connection, |waiters, _| {
            let rested = vm.rest(waiters)?.into_iter();
            let nodes = waiters.iter().map(|waiter| held.get(&waiter.entry.id));
            let awaited = rested.zip(nodes).map(|(rested, node)| match node {
                Some(node) if rested => Awaited::One(Target::Node(Rc::clone(node))),
                _ => Awaited::Moved,
            });
            Ok(awaited.collect())
        })?;
        for caller in others {
            match leads(&caller.call) {
                Some(_) => self.calling.push(caller),
                None => self.elsewhere.push(caller),
            }
        }
        Ok(())
    }
}

/// Leads those that wait for a server which waits for whatever comes to the process that has their request.
fn handed_on(
    vm: &mut AttachedVm,
    known: &LastLook<'_>,
    found: &mut FoundEdges,
) -> Result<(), AttachError> {
    let (mut edges, mut calls) = (Vec::new(), Vec::new());
    let mut loading: Vec<(usize, u64)> = Vec::new();
    let mut without_reference = 0;
    for page in found.for_idle.chunks(AT_ONCE) {
        let asked: Vec<(&Waiter, u64)> = page.iter().map(|(_, it, callee)| (it, *callee)).collect();
        let references = vm.call_references(&asked)?;
        for ((edge, waiter, server), reference) in page.iter().zip(references) {
            let (edge, server) = (*edge, *server);
            if known.is_named(server, CODE_SERVER) {
                loading.push((edge, server));
            } else if let Some(reference) = reference {
                edges.push(edge);
                calls.push(Call {
                    from: waiter.entry.id,
                    server,
                    reference,
                });
            } else {
                without_reference += 1;
            }
        }
    }
    found.not_searched += without_reference;
    handed_to_loaders(vm, known, &loading, found)?;
    let followed = follow(&calls, &mut WorkersOfVm { vm, known })?;
    for ((edge, call), followed) in edges.into_iter().zip(&calls).zip(followed) {
        found.not_searched += u64::from(followed.is_not_known());
        if let Some(holder) = followed.holder {
            found.hand_on(edge, call.server, holder);
        }
    }
    Ok(())
}

/// Leads callers of the code server, each an edge and that server, to the process that runs the `on_load` function of
/// their module.
fn handed_to_loaders(
    vm: &mut AttachedVm,
    known: &LastLook<'_>,
    loading: &[(usize, u64)],
    found: &mut FoundEdges,
) -> Result<(), AttachError> {
    let server = loading.first().map(|(_, server)| *server);
    let place = server.and_then(|it| Some((it, known.places.get(&it)?)));
    let Some((server, place)) = place else {
        return Ok(());
    };
    let loaders = vm.relatives(*place, server)?.map(|it| it.monitored);
    let by_caller = match loaders.as_deref() {
        Some(several @ [_, _, ..]) => vm.callers_of_loaders(*place, several)?,
        _ => HashMap::new(),
    };
    for (edge, server) in loading {
        let caller = found.edges.get(*edge).map(|it| it.from);
        let loader = match loaders.as_deref() {
            Some([]) => continue,
            Some([one]) => Some(*one),
            _ => caller.and_then(|it| by_caller.get(&it).copied()),
        };
        match loader {
            Some(id) => {
                let holder = Holder {
                    id,
                    is_certain: true,
                };
                found.hand_on(*edge, *server, holder);
            }
            None => found.not_searched += 1,
        }
    }
    Ok(())
}

/// The processes of the VM, as the last snapshot knows them, that may have requests.
struct WorkersOfVm<'a, 'w> {
    vm: &'a mut AttachedVm,
    known: &'a LastLook<'w>,
}

impl Workers for WorkersOfVm<'_, '_> {
    fn known_to(&mut self, id: u64) -> Result<MayHave, AttachError> {
        let Some(place) = self.known.places.get(&id) else {
            return Ok(MayHave::default());
        };
        let relatives = self.vm.relatives(*place, id)?;
        let are_all = relatives.is_some();
        let relatives = relatives.unwrap_or_default();
        let started = self.known.processes.values();
        let started = started.filter(|it| it.parent == Some(id)).map(|it| it.id);
        let related = relatives.monitored.into_iter().chain(relatives.linked);
        let ids: BTreeSet<u64> = related.chain(started).collect();
        Ok(MayHave {
            ids: ids.into_iter().collect(),
            are_all,
        })
    }

    fn held(
        &mut self,
        id: u64,
        wanted: &HashSet<Reference>,
    ) -> Result<HeldReferences, AttachError> {
        // One that is newer than the snapshot is not known.
        let Some(place) = self.known.places.get(&id) else {
            return Ok(HeldReferences::default());
        };
        let held = self.vm.held_references(*place, id, wanted);
        std::thread::sleep(PAUSE);
        held
    }

    fn idle(&self, id: u64) -> Option<Idle> {
        self.known.idle(&Target::here(id))
    }
}

/// The process in whose mailbox a message waits that names another one, by that one; `None` where there are several.
fn requests(
    vm: &mut AttachedVm,
    mailboxes: &[(u64, (u64, u64))],
) -> Result<HashMap<u64, Option<u64>>, AttachError> {
    let mut asked = HashMap::new();
    for page in mailboxes.chunks(AT_ONCE).take(MOST_MAILBOXES / AT_ONCE) {
        let places: Vec<(u64, u64)> = page.iter().map(|(_, place)| *place).collect();
        for (named, (id, _)) in vm.named_in_messages(&places)?.into_iter().zip(page) {
            for waiter in named.into_iter().filter(|waiter| waiter != id) {
                let one = asked.entry(waiter).or_insert(Some(*id));
                *one = one.filter(|it| it == id);
            }
        }
    }
    Ok(asked)
}

/// Those of `waiting` that wait below a call, keep a reference where they wait, or are suspended: in a call that is
/// not known. In a loop by its name, they may be.
fn unknown(
    vm: &mut AttachedVm,
    waiting: Vec<Caller>,
    asked: &HashMap<u64, Option<u64>>,
    found: &mut FoundEdges,
) -> Result<Vec<Unknown>, AttachError> {
    let (waiters, names): (Vec<Waiter>, Vec<_>) = waiting
        .into_iter()
        .map(|it| (it.waiter, (it.name, it.call, it.below)))
        .unzip();
    let mut names = names.into_iter();
    let mut unknown = Vec::new();
    for page in waiters.chunks(AT_ONCE) {
        let kept = vm.kept_references(page)?;
        let callers = page.iter().zip(names.by_ref().take(page.len()));
        for ((waiter, (name, call, below)), kept) in callers.zip(kept) {
            let is_suspended = Status::of(waiter.entry.state) == Status::Suspended;
            let is_call = below == BelowCall::Yes || is_suspended;
            let asked = asked.get(&waiter.entry.id).copied().flatten();
            let keeps = waiter.only_pid();
            let (monitors, may_be_idle) = match kept {
                Kept::MonitorOn(other) => (Some(Target::Process(other)), false),
                Kept::Reference => (None, false),
                // One that begins in the function in which it waits, and keeps the receiver of its request there.
                Kept::Nothing if is_call || asked.is_some() && asked == keeps => (None, false),
                Kept::Nothing if below == BelowCall::InLoop => (None, true),
                Kept::Nothing => continue,
                Kept::Moved => {
                    found.moved += u64::from(is_call);
                    continue;
                }
            };
            unknown.push(Unknown {
                from: waiter.entry.id,
                name,
                call,
                may_be_idle,
                monitors,
                asked: asked.map(Target::here),
                keeps: keeps.map(Target::here),
            });
        }
        std::thread::sleep(PAUSE);
    }
    Ok(unknown)
}

/// The process, port or connection that a process waits for.
#[derive(Clone)]
struct Aim {
    to: Target,
    /// The lock that `to` has.
    lock: Option<WaitedLock>,
}

impl From<Target> for Aim {
    fn from(to: Target) -> Self {
        Self { to, lock: None }
    }
}

fn locked(lock: Lock) -> Aim {
    Aim {
        to: Target::Process(lock.by),
        lock: Some(WaitedLock {
            table: lock.table,
            key: lock.key,
            is_write: lock.mode == LockMode::Write,
            holders: lock.holders,
            is_ahead: lock.is_ahead,
        }),
    }
}

/// The edges found so far.
#[derive(Default)]
struct FoundEdges {
    edges: Vec<Edge>,
    /// Processes that wait for whatever comes: pid terms.
    idle: HashSet<u64>,
    /// Those that wait for one of these: the edge of each, and the process that it waits for.
    for_idle: Vec<(usize, Waiter, u64)>,
    unproven: u64,
    moved: u64,
    /// Those for one of these of which it is not known who works on the request, or all that may.
    not_searched: u64,
}

impl FoundEdges {
    /// `holder` has the request of this edge, from `server`. One that has its own is its caller.
    fn hand_on(&mut self, edge: usize, server: u64, holder: Holder) {
        let Holder { id, is_certain } = holder;
        if let Some(edge) = self.edges.get_mut(edge).filter(|edge| edge.from != id) {
            edge.to = Target::here(id);
            edge.via = Some(Via { server, is_certain });
        }
    }

    /// Calls `ask` with some hundred waiters at a time, each with the call that it is in.
    fn add<T: Into<Aim>>(
        &mut self,
        waiting: Vec<Caller>,
        mut ask: impl FnMut(&[Waiter], &[Rc<str>]) -> Result<Vec<Awaited<T>>, AttachError>,
    ) -> Result<(), AttachError> {
        let mut waiting = waiting.into_iter();
        loop {
            let (waiters, (names, calls)): (Vec<Waiter>, (Vec<_>, Vec<_>)) = waiting
                .by_ref()
                .take(AT_ONCE)
                .map(|caller| (caller.waiter, (caller.name, caller.call)))
                .unzip();
            if waiters.is_empty() {
                return Ok(());
            }
            let awaited = ask(&waiters, &calls)?;
            let callers = waiters.iter().zip(names).zip(calls);
            for (((waiter, name), call), awaited) in callers.zip(awaited) {
                match awaited {
                    Awaited::One(aim) => {
                        let Aim { to, lock } = aim.into();
                        let edge = Edge {
                            from: waiter.entry.id,
                            name,
                            call,
                            to,
                            via: None,
                            lock,
                            has_limit: waiter.entry.has_limit(),
                        };
                        if let Target::Process(Other::Here(id)) = edge.to
                            && self.idle.contains(&id)
                        {
                            match self.for_idle.len() < MOST_FOR_IDLE {
                                true => {
                                    let one = (self.edges.len(), waiter.clone(), id);
                                    self.for_idle.push(one);
                                }
                                false => self.not_searched += 1,
                            }
                        }
                        self.edges.push(edge);
                    }
                    Awaited::Unproven => self.unproven += 1,
                    Awaited::Moved => self.moved += 1,
                }
            }
            std::thread::sleep(PAUSE);
        }
    }
}

/// The processes of the last snapshot, and the ports and connections that were busy then.
struct LastLook<'w> {
    processes: HashMap<u64, &'w ListedProcess>,
    /// Their places in the table.
    places: HashMap<u64, (u64, u64)>,
    /// Their pid terms, by where their structs are.
    addresses: HashMap<u64, u64>,
    pids: PidFormat,
    ports: HashMap<u64, Port>,
    /// Bytes that wait in each, by its node; `None` where that is not known.
    connections: HashMap<Rc<str>, Option<u64>>,
    /// Those that are in C code.
    in_c: HashMap<u64, SleepingInC>,
    /// The processes for which messages wait, and their places.
    mailboxes: Vec<(u64, (u64, u64))>,
    /// The place of the process that grants locks of mnesia.
    locker: Option<(u64, u64)>,
    groups: &'w Groups,
}

impl LastLook<'_> {
    /// Whether the process with this pid term is registered by that name.
    fn is_named(&self, id: u64, name: &str) -> bool {
        let process = self.processes.get(&id);
        process.is_some_and(|it| it.name.as_deref() == Some(name))
    }

    fn named(&self, in_c: InC) -> SleepingInC {
        let process = self.processes.get(&in_c.id);
        SleepingInC {
            name: process.and_then(|it| it.called()).map(str::to_owned),
            ..in_c.facts
        }
    }
}

impl Names for LastLook<'_> {
    fn of(&self, id: u64) -> WaitedProcess {
        self.process(&Target::here(id))
    }

    fn at(&self, address: u64) -> Option<u64> {
        self.addresses.get(&address).copied()
    }
}

impl Known for LastLook<'_> {
    fn process(&self, target: &Target) -> WaitedProcess {
        match target {
            Target::Process(Other::Here(id)) => WaitedProcess {
                pid: self.pids.text(*id),
                name: self
                    .processes
                    .get(id)
                    .and_then(|process| process.called())
                    .map(str::to_owned),
                node: None,
            },
            Target::Process(Other::Elsewhere { pid, node }) => WaitedProcess {
                pid: pid.clone(),
                name: None,
                node: Some(node.clone()),
            },
            Target::Process(Other::Named { name, node }) => WaitedProcess {
                pid: format!("{{{name},{node}}}"),
                name: Some(name.clone()),
                node: Some(node.clone()),
            },
            Target::Node(node) => WaitedProcess {
                pid: node.to_string(),
                name: None,
                node: Some(node.to_string()),
            },
            Target::Port(id) => {
                let port = self.ports.get(id);
                WaitedProcess {
                    pid: format!("#Port<0.{}>", port.map_or(0, |port| port.number)),
                    name: port.map(|port| port.name.clone()),
                    node: None,
                }
            }
        }
    }

    fn idle(&self, target: &Target) -> Option<Idle> {
        let Target::Process(Other::Here(id)) = target else {
            return None;
        };
        let process = self.processes.get(id);
        let rests = process.is_some_and(|it| it.status == Status::Waiting && it.mailbox == 0);
        let group = self.groups.of_process(*id).filter(|_| rests)?;
        idle(&group.stack)
    }

    fn port(&self, target: &Target) -> Option<WaitedPort> {
        let id = match target {
            Target::Port(id) => id,
            Target::Node(node) => {
                let bytes = *self.connections.get(node)?;
                return Some(WaitedPort { owner: None, bytes });
            }
            Target::Process(_) => return None,
        };
        let port = self.ports.get(id)?;
        Some(WaitedPort {
            owner: port.owner.map(|owner| self.process(&Target::here(owner))),
            bytes: Some(port.queue_bytes),
        })
    }

    fn state(&self, target: &Target) -> (Option<String>, Vec<String>) {
        let id = match target {
            Target::Process(Other::Here(id)) => id,
            Target::Process(Other::Elsewhere { .. } | Other::Named { .. }) => {
                return (None, Vec::new());
            }
            Target::Port(_) | Target::Node(_) => return (Some("busy".to_owned()), Vec::new()),
        };
        if let Some(in_c) = self.in_c.get(id) {
            let frames = in_c.function.iter().chain(&in_c.stack);
            let frames = frames.take(SHOWN_END_FRAMES).cloned();
            return (Some("in C".to_owned()), frames.collect());
        }
        let Some(process) = self.processes.get(id) else {
            return (Some("gone".to_owned()), Vec::new());
        };
        let group = self.groups.of_process(*id);
        let frames = group.iter().flat_map(|group| &group.stack);
        let frames = frames.take(SHOWN_END_FRAMES).map(ToString::to_string);
        (Some(process.status.name().to_owned()), frames.collect())
    }
}
