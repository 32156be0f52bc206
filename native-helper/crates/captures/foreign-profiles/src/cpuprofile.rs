//! `.cpuprofile` of V8: a tree of calls, and which of its nodes each sample was in.

use capture::sample::SampleClass;
use serde::Deserialize;
use shared_map::HashMap;

use crate::error::{Defect, ImportError};
use crate::format::Format;
use crate::fractions;
use crate::json::{self, line};
use crate::limits::Limits;
use crate::names;
use crate::profile::ForeignProfile;
use profile_builder::{FrameId, Labels, LabelsId, Measure, ProfileBuilder, StackId};

const NS_PER_US: f64 = 1000.0;
const ROOT: &str = "(root)";

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct File {
    nodes: Vec<Node>,
    #[serde(default)]
    start_time: f64,
    #[serde(default)]
    end_time: f64,
    #[serde(default)]
    samples: Vec<u64>,
    /// Microseconds since the sample before.
    #[serde(default)]
    time_deltas: Vec<f64>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Node {
    id: u64,
    call_frame: CallFrame,
    #[serde(default)]
    hit_count: f64,
    #[serde(default)]
    children: Vec<u64>,
    #[serde(default)]
    parent: Option<u64>,
    #[serde(default)]
    position_ticks: Vec<Tick>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct CallFrame {
    #[serde(default)]
    function_name: String,
    #[serde(default)]
    url: String,
    /// From 0; -1 where there is none.
    #[serde(default)]
    line_number: Option<f64>,
}

/// How many of a node's samples were in a line, which counts from 1.
#[derive(Deserialize)]
struct Tick {
    line: f64,
    ticks: f64,
}

/// Something is wrong with the node of this id.
fn malformed(id: u64, what: impl Into<String>) -> ImportError {
    ImportError::malformed(Format::CpuProfile, Defect::at("nodes", id), what)
}

/// Reads a file.
pub(crate) fn read(bytes: &[u8], limits: &Limits) -> Result<ForeignProfile, ImportError> {
    let file: File = json::parse(bytes, Format::CpuProfile)?;
    let mut reading = Reading::new(&file, limits)?;
    if file.samples.is_empty() {
        reading.hits(&file)?;
    } else {
        reading.samples(&file)?;
    }
    Ok(reading.profile)
}

/// Where samples of a node go: the stack of its callers, and the lines its own samples were in.
struct Place<'f> {
    callers: StackId,
    node: &'f Node,
    labels: LabelsId,
    ticks: std::slice::Iter<'f, Tick>,
    line: u32,
    left: u64,
}

struct Reading<'f> {
    profile: ForeignProfile,
    places: HashMap<u64, Place<'f>>,
}

impl<'f> Reading<'f> {
    fn new(file: &'f File, limits: &Limits) -> Result<Self, ImportError> {
        let mut profile = ForeignProfile::new(limits);
        let callers_of = callers(&file.nodes)?;
        let mut places = HashMap::with_capacity(file.nodes.len());
        let mut children: HashMap<Option<u64>, Vec<&Node>> = HashMap::new();
        for node in &file.nodes {
            let caller = callers_of.get(&node.id).copied();
            children.entry(caller).or_default().push(node);
        }
        // From the roots on; a node that leads back to itself is never reached.
        let roots = children.remove(&None).unwrap_or_default();
        let mut waiting: Vec<(&Node, StackId)> = roots
            .into_iter()
            .map(|node| (node, ProfileBuilder::EMPTY))
            .collect();
        while let Some((node, callers)) = waiting.pop() {
            let below = match node.call_frame.function_name.as_str() {
                ROOT => callers,
                _ => {
                    let frame = frame_of(&mut profile, &node.call_frame, 0);
                    profile.call(callers, frame)
                }
            };
            let called = children.remove(&Some(node.id)).unwrap_or_default();
            waiting.extend(called.into_iter().map(|node| (node, below)));
            let labels = profile.labels(Labels {
                class: class_of(&node.call_frame.function_name),
                ..Labels::default()
            });
            let place = Place {
                callers,
                node,
                labels,
                ticks: node.position_ticks.iter(),
                line: 0,
                left: 0,
            };
            places.insert(node.id, place);
        }
        match places.len() == file.nodes.len() {
            true => Ok(Self { profile, places }),
            false => Err(ImportError::malformed(
                Format::CpuProfile,
                Defect::of("nodes"),
                "nodes call each other in a circle",
            )),
        }
    }

    fn add(&mut self, id: u64, at_ns: u64, count: u64, time_ns: u64) -> Result<(), ImportError> {
        let missing = || malformed(id, format!("there is no node {id}"));
        let place = self.places.get_mut(&id).ok_or_else(missing)?;
        let line = place.next_line();
        let (callers, node, labels) = (place.callers, place.node, place.labels);
        let stack = match node.call_frame.function_name.as_str() {
            ROOT => callers,
            _ => {
                let frame = frame_of(&mut self.profile, &node.call_frame, line);
                self.profile.call(callers, frame)
            }
        };
        Ok(self.profile.add(stack, labels, at_ns, count, time_ns)?)
    }

    /// Samples with their times: each lasts until the next one, and counts for as long.
    fn samples(&mut self, file: &File) -> Result<(), ImportError> {
        let deltas = &file.time_deltas;
        let whole_us = (file.end_time - file.start_time).max(0.0);
        let ns = |us: f64| json::count(us * NS_PER_US);
        self.profile.duration_ns = ns(whole_us);
        if deltas.len() == file.samples.len() {
            let below_zero = deltas.iter().filter(|delta| **delta < 0.0).count();
            if below_zero > 0 {
                let note = format!(
                    "times between samples that are below zero and count as none: {below_zero}"
                );
                self.profile.notes.push(note);
            }
        }
        let times = times(file, whole_us);
        let has_times = times.iter().any(|(_, lasts_us)| ns(*lasts_us) > 0);
        if !has_times {
            for id in &file.samples {
                self.add(*id, 0, 1, 0)?;
            }
            if !deltas.is_empty() {
                let note = "the times between samples do not fit its samples, or are all zero: samples are counted";
                self.profile.notes.push(note.to_owned());
            }
            return Ok(());
        }
        let period_ns = fractions::period(times.iter().map(|(_, lasts_us)| ns(*lasts_us)));
        self.profile.measure = match period_ns {
            Some(period_ns) => Measure::SamplesAndTime { period_ns },
            None => Measure::Time,
        };
        // Time alone is counted in microseconds.
        let unit_ns = period_ns.unwrap_or(NS_PER_US as u64).max(1);
        for (id, (at_us, lasts_us)) in file.samples.iter().zip(times) {
            let time_ns = ns(lasts_us);
            self.add(*id, ns(at_us), time_ns / unit_ns, time_ns)?;
        }
        Ok(())
    }

    /// Counts of samples, where the samples themselves are left out.
    fn hits(&mut self, file: &File) -> Result<(), ImportError> {
        let mut below_zero = 0;
        for node in &file.nodes {
            if node.hit_count < 0.0 {
                below_zero += 1;
                continue;
            }
            self.add(node.id, 0, json::count(node.hit_count), 0)?;
        }
        let all = file
            .nodes
            .iter()
            .filter(|node| node.hit_count != 0.0)
            .count();
        self.profile
            .note_below_zero(Format::CpuProfile, "hit count", (below_zero, all))
    }
}

impl Place<'_> {
    /// The line of the next sample; 0 when not known.
    fn next_line(&mut self) -> u32 {
        while self.left == 0 {
            let Some(tick) = self.ticks.next() else {
                return 0;
            };
            self.line = line(Some(tick.line));
            self.left = json::count(tick.ticks);
        }
        self.left -= 1;
        self.line
    }
}

/// When each sample was, and how long until the next one, in microseconds; none where the file has no such times.
fn times(file: &File, whole_us: f64) -> Vec<(f64, f64)> {
    let deltas = &file.time_deltas;
    if deltas.len() != file.samples.len() {
        return Vec::new();
    }
    let mut at_us = deltas.first().copied().unwrap_or(0.0).max(0.0);
    let mut times = Vec::with_capacity(deltas.len());
    for index in 1..=deltas.len() {
        let until_next = deltas.get(index).copied();
        let lasts_us = until_next.unwrap_or(whole_us - at_us).max(0.0);
        times.push((at_us, lasts_us));
        at_us += lasts_us;
    }
    times
}

/// The caller of each node. Files name children, or in older ones the parent.
fn callers(nodes: &[Node]) -> Result<HashMap<u64, u64>, ImportError> {
    let mut ids = shared_map::HashSet::with_capacity(nodes.len());
    for node in nodes {
        if !ids.insert(node.id) {
            return Err(malformed(
                node.id,
                format!("node {} is there twice", node.id),
            ));
        }
    }
    let mut callers = HashMap::with_capacity(nodes.len());
    for node in nodes {
        if let Some(parent) = node.parent {
            callers.insert(node.id, parent);
        }
    }
    for node in nodes {
        for child in &node.children {
            let known = callers.insert(*child, node.id);
            if known.is_some_and(|known| known != node.id) {
                return Err(malformed(*child, format!("node {child} has two callers")));
            }
        }
    }
    let unknown = callers
        .iter()
        .find(|(child, parent)| !ids.contains(child) || !ids.contains(parent));
    match unknown {
        Some((child, parent)) => Err(malformed(
            *child,
            format!("there is no node {child} or {parent}"),
        )),
        None => Ok(callers),
    }
}

/// What V8 calls things that are no functions.
fn class_of(name: &str) -> Option<SampleClass> {
    match name {
        "(idle)" => Some(SampleClass::Idle),
        "(garbage collector)" => Some(SampleClass::Gc),
        _ => None,
    }
}

fn frame_of(profile: &mut ForeignProfile, called: &CallFrame, line_sampled: u32) -> FrameId {
    let name = match called.function_name.as_str() {
        "" => "(anonymous)",
        name => name,
    };
    let mut facts = names::of_text(name);
    let file = called.url.strip_prefix("file://").unwrap_or(&called.url);
    file.clone_into(&mut facts.file);
    facts.head_line = called
        .line_number
        .map_or(0, |number| line(Some(number + 1.0)));
    profile.frame(facts, line_sampled)
}
