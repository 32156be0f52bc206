//! Whom, or which port, the processes of the last look wait for.

use std::collections::HashMap;
use std::rc::Rc;

use attach::{AttachError, AttachedVm};
use process_list::ListedProcess;
use protocol::waits::{WaitedPort, WaitedProcess, WaitsGraph};
use vm_processes::{Awaited, Other, Status, Waiter};
use vm_tables::pids::PidFormat;
use vm_tables::ports::Port;

use super::calls::{is_call, is_send};
use super::graph::{Edge, Known, Target, graph};
use super::groups::Groups;
use super::{AT_ONCE, PAUSE};
use crate::process_watch::ProcessWatch;

/// Processes in calls of which it is looked up whom they wait for; of each some hundred bytes are kept.
const MOST_CALLERS: usize = 100_000;
/// Frames of one that others wait for.
const TOLD_END_FRAMES: usize = 16;

/// A process in a call.
struct Caller {
    waiter: Waiter,
    name: Rc<str>,
    call: Rc<str>,
}

/// Of the last look, those in a call, and those that are kept from sending to a port.
#[derive(Default)]
pub(super) struct Callers {
    calling: Vec<Caller>,
    sending: Vec<Caller>,
    /// Those for which there was no room.
    uncounted: u64,
}

impl Callers {
    /// One that waits in `call`, if that says what it waits for.
    pub fn note(&mut self, waiter: Waiter, called: &str, call: Rc<str>) {
        let waiting = match Status::of(waiter.entry.state) {
            _ if is_call(&call) => &mut self.calling,
            status if is_send(&call, status) => &mut self.sending,
            _ => return,
        };
        match waiting.len() < MOST_CALLERS {
            true => waiting.push(Caller {
                waiter,
                name: called.into(),
                call,
            }),
            false => self.uncounted += 1,
        }
    }

    /// What they wait for. A VM that has ended says nothing of that.
    pub fn graph(
        self,
        vm: &mut AttachedVm,
        processes: &ProcessWatch,
        groups: &Groups,
    ) -> WaitsGraph {
        let mut found = FoundEdges {
            unproven: self.uncounted,
            ..FoundEdges::default()
        };
        let of_callers = found.add(self.calling, |waiters| {
            let awaited = vm.awaited(waiters)?.into_iter();
            Ok(awaited.map(|one| one.map(Target::Process)).collect())
        });
        let busy = match self.sending.is_empty() {
            true => HashMap::new(),
            // Where the ports cannot be read, none of them is known to be busy.
            false => vm.busy_ports().unwrap_or_default(),
        };
        let of_senders = found.add(self.sending, |waiters| {
            let is_busy = |port| busy.contains_key(&port);
            let awaited = vm.awaited_ports(waiters, is_busy)?.into_iter();
            Ok(awaited.map(|one| one.map(Target::Port)).collect())
        });
        if of_callers.and(of_senders).is_err() {
            return WaitsGraph::default();
        }
        let FoundEdges {
            edges,
            unproven,
            moved,
        } = found;
        let Ok(pids) = vm.look(|vm| vm.pid_format()) else {
            return WaitsGraph::default();
        };
        let known = LastLook {
            processes: processes.each().map(|(_, it)| (it.id, it)).collect(),
            pids,
            busy,
            groups,
        };
        WaitsGraph {
            unproven,
            moved,
            ..graph(&edges, &known)
        }
    }
}

/// Whom processes were found to wait for.
#[derive(Default)]
struct FoundEdges {
    edges: Vec<Edge>,
    unproven: u64,
    moved: u64,
}

impl FoundEdges {
    /// Asks of some hundred at a time.
    fn add(
        &mut self,
        waiting: Vec<Caller>,
        mut ask: impl FnMut(&[Waiter]) -> Result<Vec<Awaited<Target>>, AttachError>,
    ) -> Result<(), AttachError> {
        let (waiters, names): (Vec<Waiter>, Vec<_>) = waiting
            .into_iter()
            .map(|caller| (caller.waiter, (caller.name, caller.call)))
            .unzip();
        let mut names = names.into_iter();
        for page in waiters.chunks(AT_ONCE) {
            let awaited = ask(page)?;
            let callers = page.iter().zip(names.by_ref().take(page.len()));
            for ((waiter, (name, call)), awaited) in callers.zip(awaited) {
                match awaited {
                    Awaited::One(to) => self.edges.push(Edge {
                        from: waiter.entry.id,
                        name,
                        call,
                        to,
                    }),
                    Awaited::Unproven => self.unproven += 1,
                    Awaited::Moved => self.moved += 1,
                }
            }
            std::thread::sleep(PAUSE);
        }
        Ok(())
    }
}

/// The processes of the last look, and the ports that were busy then.
struct LastLook<'w> {
    processes: HashMap<u64, &'w ListedProcess>,
    pids: PidFormat,
    busy: HashMap<u64, Port>,
    groups: &'w Groups,
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
            Target::Port(id) => {
                let port = self.busy.get(id);
                WaitedProcess {
                    pid: format!("#Port<0.{}>", port.map_or(0, |port| port.number)),
                    name: port.map(|port| port.name.clone()),
                    node: None,
                }
            }
        }
    }

    fn port(&self, target: &Target) -> Option<WaitedPort> {
        let Target::Port(id) = target else {
            return None;
        };
        let port = self.busy.get(id)?;
        Some(WaitedPort {
            owner: port.owner.map(|owner| self.process(&Target::here(owner))),
            bytes: port.queue_bytes,
        })
    }

    fn state(&self, target: &Target) -> (Option<String>, Vec<String>) {
        let id = match target {
            Target::Process(Other::Here(id)) => id,
            Target::Process(Other::Elsewhere { .. }) => return (None, Vec::new()),
            Target::Port(_) => return (Some("busy".to_owned()), Vec::new()),
        };
        let Some(process) = self.processes.get(id) else {
            return (Some("gone".to_owned()), Vec::new());
        };
        let group = self.groups.of_process(*id);
        let frames = group.iter().flat_map(|group| &group.stack);
        let frames = frames.take(TOLD_END_FRAMES).map(ToString::to_string);
        (Some(process.status.name().to_owned()), frames.collect())
    }
}
