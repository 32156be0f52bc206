//! Where processes wait, looked at again and again: time that is not on a processor, by stack; and whom, or which
//! port, those of the last look wait for.

mod calls;
mod graph;
mod spent;

use std::collections::HashMap;
use std::io::Write;
use std::rc::Rc;
use std::time::{Duration, Instant, SystemTime};

use attach::{AttachError, AttachedVm, WaitLook, WaitingStack};
use capture::sample::{FrameKind, FunctionFacts};
use diagnose::refusal::Refusal;
use flate2::Compression;
use flate2::write::GzEncoder;
use process_list::{ListedProcess, Place};
use profile_builder::{Bounds, FrameId, Labels, Measure, ProfileBuilder, StackId, TooMany, marker};
use protocol::waits::{
    WaitedPort, WaitedProcess, WaitingGroup, WaitsGraph, WaitsLook, WaitsResult,
};
use vm_code::code_map::CodeLocation;
use vm_code::generations::Located;
use vm_code::range_names::RangeName;
use vm_processes::{Awaited, Other, Status, Waiter};
use vm_tables::pids::PidFormat;
use vm_tables::ports::Port;

use self::calls::{is_call, is_send};
use self::graph::{Edge, Known, Target, graph};
use self::spent::{Found, SpentTime};
use crate::process_watch::{ProcessWatch, pause_ms};
use crate::processes::{Where, located};
use crate::refusals::lost;
use crate::thread_time::thread_time;

/// Processes whose stacks are read without a pause.
const AT_ONCE: usize = 250;
const PAUSE: Duration = Duration::from_millis(1);
/// Looks come at most four times a second.
const SHORTEST_PAUSE_MS: f64 = 250.0;
/// A capture holds no more.
const BOUNDS: Bounds = Bounds {
    max_samples: 16 << 20,
    max_depth: 1024,
    max_frames: 64 << 20,
};
/// Stacks, and names of each, that are told.
const TOLD_STACKS: usize = 1000;
const TOLD_NAMES: usize = 5;
/// Names of one stack that are counted: processes with labels of their own have one each.
const MOST_NAMES: usize = 10_000;
/// Frames of them.
const TOLD_FRAMES: usize = 64;
/// Processes in calls of which it is looked up whom they wait for; of each some hundred bytes are kept.
const MOST_CALLERS: usize = 100_000;
/// Frames of one that others wait for.
const TOLD_END_FRAMES: usize = 16;
/// Of the graph, what a capture says of it.
const KEPT_EDGES: usize = 200;
/// What is known of the code at an address, for so many.
const MOST_FRAMES: usize = 1 << 20;
const ERLANG_OBJECT: &str = "[erlang]";
/// Innermost of a process that waits for a scheduler alone.
const READY: &str = "[ready to run]";
/// The comment of a capture that says what it is of, as JSON.
const WAITS_COMMENT: &str = "extrospect/waits ";

/// A process of which no name, label or initial call is known.
const NAMELESS: &str = "[unknown process]";

/// What was seen so far.
pub(crate) struct WaitWatch {
    profile: ProfileBuilder,
    /// Frames by address, and whether something was called there.
    frames: HashMap<(u64, bool), FrameId>,
    code_changes: u64,
    groups: HashMap<StackId, Group>,
    spent: SpentTime,
    began: Instant,
    last: Option<Instant>,
    looks: u64,
    sums: WaitsLook,
    last_look: WaitsLook,
    /// Of the last look: those in a call, those that are kept from sending to a port, and where each that waits is.
    callers: Vec<Caller>,
    senders: Vec<Caller>,
    waits_in: HashMap<u64, StackId>,
    /// Those in a call for which there was no room.
    uncounted: u64,
    /// Why no more is added.
    full: Option<TooMany>,
}

/// A process in a call.
struct Caller {
    waiter: Waiter,
    name: Rc<str>,
    call: Rc<str>,
}

/// Processes with the same stack.
#[derive(Default)]
struct Group {
    stack: Vec<Rc<str>>,
    nanoseconds: u64,
    in_last_look: u64,
    names: HashMap<Rc<str>, u64>,
}

impl WaitWatch {
    /// Nothing was seen yet.
    pub fn begin() -> Self {
        let mut profile = ProfileBuilder::new(BOUNDS);
        profile.measure = Measure::Other {
            name: "waiting".to_owned(),
            unit: "milliseconds".to_owned(),
        };
        let since_1970 = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
        profile.started_unix_ns = since_1970.map_or(0, whole_ns);
        Self {
            profile,
            frames: HashMap::new(),
            code_changes: 0,
            groups: HashMap::new(),
            spent: SpentTime::default(),
            began: Instant::now(),
            last: None,
            looks: 0,
            sums: WaitsLook::default(),
            last_look: WaitsLook::default(),
            callers: Vec::new(),
            senders: Vec::new(),
            waits_in: HashMap::new(),
            uncounted: 0,
            full: None,
        }
    }

    /// Looks at all processes once more. Each that waits has waited since the last look.
    pub fn look(
        &mut self,
        vm: &mut AttachedVm,
        processes: &mut ProcessWatch,
    ) -> Result<WaitsLook, Refusal> {
        let cpu_began = thread_time();
        processes.look(vm).map_err(|error| Refusal::from(&error))?;
        if processes.code_changes() != self.code_changes {
            self.code_changes = processes.code_changes();
            self.frames.clear();
        }
        // Nothing can be said of any stack. The next look that can has the time since the last one that could.
        if processes.is_code_unclear() {
            return Ok(WaitsLook {
                next_ms: pause_ms(thread_time().saturating_sub(cpu_began), SHORTEST_PAUSE_MS),
                ..self.sums
            });
        }
        let now = Instant::now();
        let first = Duration::from_secs_f64(SHORTEST_PAUSE_MS / 1000.0);
        let waited = self.last.map_or(first, |last| now - last);
        self.last = Some(now);
        self.looks += 1;
        self.spent.look(waited);
        for group in self.groups.values_mut() {
            group.in_last_look = 0;
        }
        self.callers.clear();
        self.senders.clear();
        self.waits_in.clear();
        self.uncounted = 0;
        let mut look = WaitsLook::default();
        let all: Vec<((u64, u64), &ListedProcess)> = processes.each().collect();
        for page in all.chunks(AT_ONCE) {
            let places: Vec<(u64, u64)> = page.iter().map(|(place, _)| *place).collect();
            let stacks = read(vm, &places)?;
            for (stack, (_, process)) in stacks.into_iter().zip(page) {
                look.processes += 1;
                let called = process.called().unwrap_or(NAMELESS);
                self.spent
                    .add(process, called, found(process.status), waited);
                match stack {
                    WaitLook::Restless => look.restless += 1,
                    WaitLook::Unproven => look.unproven += 1,
                    WaitLook::Waits(stack) => {
                        look.waiting += 1;
                        look.cut += u64::from(stack.is_cut);
                        look.full |= self.add(vm, process, *stack, waited).is_err();
                    }
                }
            }
            std::thread::sleep(PAUSE);
        }
        look.next_ms = pause_ms(thread_time().saturating_sub(cpu_began), SHORTEST_PAUSE_MS);
        self.note(look);
        Ok(look)
    }

    /// A capture of all that was seen, compressed, and the same in words.
    pub fn finish(
        mut self,
        vm: &mut AttachedVm,
        processes: &ProcessWatch,
    ) -> Result<(WaitsResult, Vec<u8>), Refusal> {
        let graph = self.graph(vm, processes);
        let until = self.last.map_or(Duration::ZERO, |last| last - self.began);
        let spent = std::mem::take(&mut self.spent).told(until);
        let WaitsLook {
            processes,
            waiting,
            restless,
            unproven,
            cut,
            ..
        } = self.sums;
        let last = self.last_look;
        let said = serde_json::json!({
            "otp": vm.version.otp_release, "node": vm.node, "pid": vm.process.pid, "looks": self.looks,
            "processes": processes, "waiting": waiting, "restless": restless, "unproven": unproven, "cut": cut,
            "last": { "processes": last.processes, "waiting": last.waiting }, "full": self.full.is_some(),
            "graph": kept(&graph), "spent": spent,
        });
        self.profile.comments.push(format!("{WAITS_COMMENT}{said}"));
        self.profile.duration_ns = whole_ns(self.began.elapsed());
        let result = told(self.groups, graph);
        let message = self.profile.finish();
        let mut compressed = GzEncoder::new(Vec::new(), Compression::default());
        let member = compressed
            .write_all(&message)
            .and_then(|()| compressed.finish());
        Ok((result, member.map_err(|error| lost(&error))?))
    }

    fn add(
        &mut self,
        vm: &AttachedVm,
        process: &ListedProcess,
        stack: WaitingStack,
        waited: Duration,
    ) -> Result<(), TooMany> {
        // Stacks that no sample would have are not kept.
        if let Some(full) = self.full {
            return Err(full);
        }
        let mut at = match stack.is_cut {
            true => {
                let cut = self.profile.frame(marker("[truncated]"), 0);
                self.profile.call(ProfileBuilder::EMPTY, cut)
            }
            false => ProfileBuilder::EMPTY,
        };
        for address in stack.callers.iter().rev() {
            let frame = self.frame(vm, *address, true);
            at = self.profile.call(at, frame);
        }
        let innermost = self.innermost(vm, stack.goes_on_at, &process.current);
        at = self.profile.call(at, innermost);
        let is_ready = Status::of(stack.waiter.entry.state) == Status::Runnable;
        if is_ready {
            let ready = self.profile.frame(marker(READY), 0);
            at = self.profile.call(at, ready);
        }
        let called = process.called().unwrap_or(NAMELESS);
        let labels = self.profile.labels(Labels {
            process_name: called.to_owned(),
            ..Labels::default()
        });
        let at_ns = whole_ns(self.began.elapsed());
        let waited_ms = u64::try_from(waited.as_millis()).unwrap_or(u64::MAX);
        if let Err(full) = self.profile.add(at, labels, at_ns, waited_ms, 0) {
            self.full = Some(full);
            return Err(full);
        }
        let names = || {
            let ready = is_ready.then(|| READY.into());
            let frames = frame_names(vm, &stack, &process.current);
            ready.into_iter().chain(frames).collect()
        };
        let group = self.groups.entry(at).or_insert_with(|| Group {
            stack: names(),
            ..Group::default()
        });
        group.nanoseconds = group.nanoseconds.saturating_add(whole_ns(waited));
        group.in_last_look += 1;
        if group.names.len() < MOST_NAMES || group.names.contains_key(called) {
            *group.names.entry(called.into()).or_default() += 1;
        }
        self.waits_in.insert(process.id, at);
        let call = group.stack.first().cloned();
        if let Some(call) = call {
            self.note_waiter(stack.waiter, called, call);
        }
        Ok(())
    }

    /// One that waits in `call`, if that says what it waits for.
    fn note_waiter(&mut self, waiter: Waiter, called: &str, call: Rc<str>) {
        let waiting = match Status::of(waiter.entry.state) {
            _ if is_call(&call) => &mut self.callers,
            status if is_send(&call, status) => &mut self.senders,
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

    /// What those in a call, and those that are kept from sending, wait for. A VM that has ended says nothing of
    /// that.
    fn graph(&mut self, vm: &mut AttachedVm, processes: &ProcessWatch) -> WaitsGraph {
        let mut found = FoundEdges {
            unproven: self.uncounted,
            ..FoundEdges::default()
        };
        let callers = std::mem::take(&mut self.callers);
        let of_callers = found.add(callers, |waiters| {
            let awaited = vm.awaited(waiters)?.into_iter();
            Ok(awaited.map(|one| one.map(Target::Process)).collect())
        });
        let senders = std::mem::take(&mut self.senders);
        let busy = match senders.is_empty() {
            true => HashMap::new(),
            // Where the ports cannot be read, none of them is known to be busy.
            false => vm.busy_ports().unwrap_or_default(),
        };
        let of_senders = found.add(senders, |waiters| {
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
            watch: self,
        };
        WaitsGraph {
            unproven,
            moved,
            ..graph(&edges, &known)
        }
    }

    /// Where a process goes on.
    fn innermost(&mut self, vm: &AttachedVm, i: u64, noted: &Place) -> FrameId {
        match located(vm, i) {
            Where::Here(_) => self.frame(vm, i, false),
            Where::Noted | Where::Unknown => {
                let name = noted.function.as_deref().unwrap_or("[unknown code]");
                let facts = match name.starts_with('[') {
                    true => marker(name),
                    false => erlang(name.to_owned(), name.to_owned(), FrameKind::Erlang),
                };
                self.profile.frame(facts, 0)
            }
        }
    }

    fn frame(&mut self, vm: &AttachedVm, address: u64, is_return: bool) -> FrameId {
        if let Some(known) = self.frames.get(&(address, is_return)) {
            return *known;
        }
        // What returns there was called just before.
        let (facts, line) = match vm.code.locate(address.wrapping_sub(u64::from(is_return))) {
            Located::Known(code) => (facts(&code), code.line),
            Located::Ambiguous => (marker("[code reloaded]"), 0),
            Located::Unknown => (marker("[unknown code]"), 0),
        };
        let frame = self.profile.frame(facts, line);
        if self.frames.len() < MOST_FRAMES {
            self.frames.insert((address, is_return), frame);
        }
        frame
    }

    fn note(&mut self, look: WaitsLook) {
        self.last_look = look;
        let sums = &mut self.sums;
        for (sum, more) in [
            (&mut sums.processes, look.processes),
            (&mut sums.waiting, look.waiting),
            (&mut sums.restless, look.restless),
            (&mut sums.unproven, look.unproven),
            (&mut sums.cut, look.cut),
        ] {
            *sum = sum.saturating_add(more);
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
    watch: &'w WaitWatch,
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
        let stack = self.watch.waits_in.get(id);
        let group = stack.and_then(|stack| self.watch.groups.get(stack));
        let frames = group.iter().flat_map(|group| &group.stack);
        let frames = frames.take(TOLD_END_FRAMES).map(ToString::to_string);
        (Some(process.status.name().to_owned()), frames.collect())
    }
}

/// What a capture says of the graph: the first of all that is told.
fn kept(graph: &WaitsGraph) -> WaitsGraph {
    let mut kept = graph.clone();
    kept.more += kept.edges.len().saturating_sub(KEPT_EDGES) as u64;
    kept.edges.truncate(KEPT_EDGES);
    kept
}

fn read(vm: &mut AttachedVm, places: &[(u64, u64)]) -> Result<Vec<WaitLook>, Refusal> {
    let looked: Result<Vec<WaitLook>, AttachError> = vm.waiting_stacks(places);
    looked.map_err(|error| Refusal::from(&error))
}

/// What a look found a process at: at one moment, as its struct was read. Were it told by its stack, for which it
/// has to rest a little later, too, those that run would be missed.
fn found(status: Status) -> Found {
    match status {
        Status::Waiting | Status::Suspended => Found::Waiting,
        Status::Runnable => Found::Ready,
        Status::Running | Status::GarbageCollecting => Found::Running,
        Status::Exiting | Status::Free => Found::Ending,
    }
}

fn frame_names(vm: &AttachedVm, stack: &WaitingStack, noted: &Place) -> Vec<Rc<str>> {
    let name = |address: u64| -> Rc<str> {
        match vm.code.locate(address) {
            Located::Known(code) => code.name.display().into(),
            Located::Ambiguous | Located::Unknown => "[unknown code]".into(),
        }
    };
    let innermost = match located(vm, stack.goes_on_at) {
        Where::Here(place) => place.function.map(Rc::from),
        Where::Noted | Where::Unknown => noted.function.clone(),
    };
    let innermost = innermost.unwrap_or_else(|| "[unknown code]".into());
    let callers = stack.callers.iter().take(TOLD_FRAMES - 1);
    let callers = callers.map(|address| name(address.wrapping_sub(1)));
    std::iter::once(innermost).chain(callers).collect()
}

fn facts(code: &CodeLocation) -> FunctionFacts {
    let (kind, raw_name) = match &code.name {
        RangeName::Fragment(name) => (FrameKind::Fragment, format!("global::{name}")),
        other => (FrameKind::Erlang, other.raw().to_owned()),
    };
    FunctionFacts {
        file: code.file.to_string(),
        head_line: code.head_line,
        ..erlang(code.name.display(), raw_name, kind)
    }
}

fn erlang(name: String, raw_name: String, kind: FrameKind) -> FunctionFacts {
    FunctionFacts {
        name,
        raw_name,
        kind,
        file: String::new(),
        head_line: 0,
        object: ERLANG_OBJECT.to_owned(),
    }
}

fn told(groups: HashMap<StackId, Group>, graph: WaitsGraph) -> WaitsResult {
    let mut groups: Vec<Group> = groups.into_values().collect();
    groups.sort_by(|a, b| (b.nanoseconds, &a.stack).cmp(&(a.nanoseconds, &b.stack)));
    let left_out = groups.len().saturating_sub(TOLD_STACKS) as u64;
    groups.truncate(TOLD_STACKS);
    let told = groups.into_iter().map(|group| {
        let mut names: Vec<(Rc<str>, u64)> = group.names.into_iter().collect();
        names.sort_by(|(a, more), (b, less)| less.cmp(more).then_with(|| a.cmp(b)));
        names.truncate(TOLD_NAMES);
        WaitingGroup {
            seconds: Duration::from_nanos(group.nanoseconds).as_secs_f64(),
            processes: group.in_last_look,
            names: names.iter().map(|(name, _)| name.to_string()).collect(),
            stack: group.stack.iter().map(ToString::to_string).collect(),
        }
    });
    WaitsResult {
        waits: told.collect(),
        left_out,
        graph,
    }
}

fn whole_ns(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}
