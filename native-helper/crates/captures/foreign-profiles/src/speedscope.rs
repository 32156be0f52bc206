//! The JSON of speedscope: profiles that share their frames, sampled or as calls and returns.

use capture::counted::counted;
use serde::Deserialize;
use serde::de::{Deserializer, SeqAccess, Visitor};

use crate::error::{Defect, ImportError};
use crate::format::Format;
use crate::fractions;
use crate::json::{self, count, line};
use crate::limits::Limits;
use crate::names;
use crate::profile::{ForeignProfile, left_out};
use profile_builder::{FrameId, Labels, LabelsId, Measure, ProfileBuilder, StackId};

#[derive(Deserialize)]
struct File {
    shared: Shared,
    profiles: Vec<Profile>,
}

#[derive(Deserialize)]
struct Shared {
    frames: Vec<SharedFrame>,
}

#[derive(Deserialize)]
struct SharedFrame {
    name: String,
    #[serde(default)]
    file: Option<String>,
    #[serde(default)]
    line: Option<f64>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Profile {
    r#type: String,
    #[serde(default)]
    name: String,
    #[serde(default)]
    unit: String,
    #[serde(default)]
    start_value: f64,
    #[serde(default)]
    end_value: f64,
    #[serde(default)]
    samples: Stacks,
    #[serde(default)]
    weights: Vec<f64>,
    #[serde(default)]
    events: Vec<Event>,
}

impl Profile {
    /// All that is counted of it: weights, or moments.
    fn numbers(&self) -> impl Iterator<Item = f64> + '_ {
        let moments = self.events.iter().map(|event| event.at);
        let ends = [self.start_value, self.end_value];
        self.weights.iter().copied().chain(moments).chain(ends)
    }
}

#[derive(Deserialize)]
struct Event {
    r#type: String,
    frame: u32,
    at: f64,
}

/// Lists of numbers, end to end: most files have far more lists than anything else.
#[derive(Default)]
struct Stacks {
    frames: Vec<u32>,
    ends: Vec<usize>,
}

impl Stacks {
    fn iter(&self) -> impl Iterator<Item = &[u32]> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts
            .zip(&self.ends)
            .map(|(start, end)| self.frames.get(start..*end).unwrap_or_default())
    }
}

impl<'de> Deserialize<'de> for Stacks {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Lists;
        impl<'de> Visitor<'de> for Lists {
            type Value = Stacks;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("lists of frame numbers")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut lists: A) -> Result<Stacks, A::Error> {
                let mut stacks = Stacks::default();
                while let Some(list) = lists.next_element::<Vec<u32>>()? {
                    stacks.frames.extend_from_slice(&list);
                    stacks.ends.push(stacks.frames.len());
                }
                Ok(stacks)
            }
        }
        deserializer.deserialize_seq(Lists)
    }
}

/// What a unit measures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Unit {
    Count,
    /// Parts of one sample that are counted.
    Parts(u64),
    Bytes,
    /// Nanoseconds in one.
    Time(u64),
}

impl Unit {
    fn of(name: &str) -> Option<Self> {
        Some(match name {
            "none" | "" => Self::Count,
            "bytes" => Self::Bytes,
            "nanoseconds" => Self::Time(1),
            "microseconds" => Self::Time(1_000),
            "milliseconds" => Self::Time(1_000_000),
            "seconds" => Self::Time(1_000_000_000),
            _ => return None,
        })
    }

    fn is_like(self, other: Self) -> bool {
        matches!((self, other), (Self::Time(_), Self::Time(_))) || self == other
    }

    /// A weight in nanoseconds, or whatever is counted.
    fn of_weight(self, weight: f64) -> u64 {
        match self {
            Self::Time(parts) | Self::Parts(parts) => count(weight * parts as f64),
            Self::Count | Self::Bytes => count(weight),
        }
    }
}

/// A profile and its unit.
type OfUnit<'f> = (Unit, &'f Profile);

fn malformed(defect: Defect, what: impl Into<String>) -> ImportError {
    ImportError::malformed(Format::Speedscope, defect, what)
}

/// Reads a file.
pub(crate) fn read(bytes: &[u8], limits: &Limits) -> Result<ForeignProfile, ImportError> {
    let file: File = json::parse(bytes, Format::Speedscope)?;
    let mut profile = ForeignProfile::new(limits);
    let frames = shared_frames(&mut profile, &file.shared);
    let (unit, mut chosen) = of_one_unit(&file, &mut profile)?;
    let scale = match unit {
        Unit::Count => fractions::scale(chosen.iter().flat_map(|(_, one)| one.numbers())),
        _ => 1.0,
    };
    let parts = fractions::measure(scale);
    if parts.is_some() {
        for (unit, _) in &mut chosen {
            *unit = Unit::Parts(scale as u64);
        }
    }
    let period_ns = period(&chosen);
    profile.measure = match (unit, period_ns) {
        (Unit::Count | Unit::Parts(_), _) => parts.unwrap_or(Measure::Samples),
        (Unit::Bytes, _) => Measure::Other {
            name: "space".to_owned(),
            unit: "bytes".to_owned(),
        },
        (Unit::Time(_), Some(period_ns)) => Measure::SamplesAndTime { period_ns },
        (Unit::Time(_), None) => Measure::Time,
    };
    let mut reading = Reading {
        profile,
        frames,
        period_ns: period_ns.unwrap_or(0),
    };
    for (unit, one) in chosen {
        let labels = reading.profile.labels(thread(&one.name));
        match one.r#type.as_str() {
            "sampled" => reading.sampled(one, unit, labels)?,
            "evented" => reading.evented(one, unit, labels)?,
            other => {
                let what = format!("there is no type of profile {other:?}");
                return Err(malformed(Defect::unknown(other), what));
            }
        }
    }
    Ok(reading.profile)
}

fn shared_frames(profile: &mut ForeignProfile, shared: &Shared) -> Vec<FrameId> {
    let frame = |shared: &SharedFrame| {
        let mut facts = names::of_text(&shared.name);
        let file = shared.file.as_deref().unwrap_or_default();
        file.clone_into(&mut facts.file);
        // By the format the line where the function is, not the one that was sampled.
        facts.head_line = line(shared.line);
        profile.frame(facts, 0)
    };
    shared.frames.iter().map(frame).collect()
}

/// The profiles that measure the same as the first one: a capture measures one thing.
fn of_one_unit<'f>(
    file: &'f File,
    profile: &mut ForeignProfile,
) -> Result<(Unit, Vec<OfUnit<'f>>), ImportError> {
    let mut units = Vec::with_capacity(file.profiles.len());
    for one in &file.profiles {
        let unknown = || {
            let what = format!("there is no unit {:?}", one.unit);
            malformed(Defect::unknown(&one.unit), what)
        };
        units.push((Unit::of(&one.unit).ok_or_else(unknown)?, one));
    }
    let Some(&(first, _)) = units.first() else {
        return Err(malformed(Defect::NoSamples, "it has no profile"));
    };
    let all = units.len();
    units.retain(|(unit, _)| unit.is_like(first));
    if units.len() < all {
        let missing = all - units.len();
        let what = "measuring something else than the first one";
        profile.notes.push(left_out(missing, "profile", what));
    }
    Ok((first, units))
}

/// The time that one sample stands for: what all weights are multiples of. `None` where calls were
/// timed, not sampled.
fn period(profiles: &[OfUnit<'_>]) -> Option<u64> {
    let is_sampled = |(_, profile): &OfUnit<'_>| profile.r#type == "sampled";
    if !profiles.iter().all(is_sampled) {
        return None;
    }
    let weights = |(unit, profile): &OfUnit<'_>| {
        let unit = *unit;
        let weights: Vec<u64> = profile
            .weights
            .iter()
            .map(|it| unit.of_weight(*it))
            .collect();
        weights
    };
    fractions::period(profiles.iter().flat_map(weights))
}

/// `1_scheduler (4711)` is a thread with its id.
fn thread(name: &str) -> Labels {
    let with_id = || {
        let (name, id) = name.strip_suffix(')')?.rsplit_once(" (")?;
        Some((name, id.parse().ok()?))
    };
    let (name, thread_id) = with_id().unwrap_or((name, 0));
    Labels {
        thread_id,
        thread_name: name.to_owned(),
        ..Labels::default()
    }
}

struct Reading {
    profile: ForeignProfile,
    frames: Vec<FrameId>,
    period_ns: u64,
}

impl Reading {
    fn frame(&self, index: u32) -> Result<FrameId, ImportError> {
        let missing = || {
            let what = format!("there is no frame {index}");
            malformed(Defect::at("frames", index), what)
        };
        self.frames.get(index as usize).copied().ok_or_else(missing)
    }

    /// Adds a measured value at one place; `value` is in nanoseconds when it is a time.
    fn add(
        &mut self,
        stack: StackId,
        labels: LabelsId,
        at_ns: u64,
        value: u64,
    ) -> Result<(), ImportError> {
        let count = match self.profile.measure {
            Measure::SamplesAndTime { .. } => value / self.period_ns.max(1),
            _ => value,
        };
        Ok(self.profile.add(stack, labels, at_ns, count, value)?)
    }

    fn sampled(&mut self, one: &Profile, unit: Unit, labels: LabelsId) -> Result<(), ImportError> {
        if one.weights.len() != one.samples.ends.len() {
            let (samples, weights) = (one.samples.ends.len(), one.weights.len());
            let (samples, weights) = (samples as u64, weights as u64);
            let what = format!(
                "of {} there are {}",
                counted(samples, "sample"),
                counted(weights, "weight")
            );
            return Err(malformed(Defect::of("weights"), what));
        }
        let is_time = matches!(unit, Unit::Time(_));
        let mut at_ns = 0_u64;
        let mut below_zero = 0;
        for (stack, weight) in one.samples.iter().zip(&one.weights) {
            if *weight < 0.0 {
                below_zero += 1;
                continue;
            }
            let mut at = ProfileBuilder::EMPTY;
            for &frame in stack {
                let frame = self.frame(frame)?;
                at = self.profile.call(at, frame);
            }
            let value = unit.of_weight(*weight);
            self.add(at, labels, at_ns, value)?;
            if is_time {
                at_ns = at_ns.saturating_add(value);
            }
        }
        self.profile.duration_ns = self.profile.duration_ns.max(at_ns);
        let all = (below_zero, one.weights.len());
        self.profile
            .note_below_zero(Format::Speedscope, "weight", all)?;
        Ok(())
    }

    fn evented(&mut self, one: &Profile, unit: Unit, labels: LabelsId) -> Result<(), ImportError> {
        let mut open: Vec<(u32, StackId)> = Vec::new();
        // Moments may be below zero; the time between them is not.
        let since_start = |moment: f64| unit.of_weight(moment - one.start_value);
        let mut last = 0;
        for event in &one.events {
            let now = since_start(event.at);
            let passed = now.checked_sub(last);
            let passed = passed.filter(|_| event.at >= one.start_value);
            let passed = passed.ok_or_else(|| {
                let what = "its events are not in order of time";
                malformed(Defect::of("events"), what)
            })?;
            if let (Some(&(_, stack)), 1..) = (open.last(), passed) {
                let at_ns = match unit {
                    Unit::Time(_) => last,
                    Unit::Count | Unit::Parts(_) | Unit::Bytes => 0,
                };
                self.add(stack, labels, at_ns, passed)?;
            }
            last = now;
            match (event.r#type.as_str(), open.last()) {
                ("O", top) => {
                    let caller = top.map_or(ProfileBuilder::EMPTY, |(_, stack)| *stack);
                    let frame = self.frame(event.frame)?;
                    open.push((event.frame, self.profile.call(caller, frame)));
                }
                ("C", Some((frame, _))) if *frame == event.frame => {
                    open.pop();
                }
                ("C", _) => {
                    let frame = event.frame;
                    let what = format!("frame {frame} is left but was not the innermost");
                    return Err(malformed(Defect::of("events"), what));
                }
                (other, _) => {
                    let what = format!("there is no event {other:?}");
                    return Err(malformed(Defect::unknown(other), what));
                }
            }
        }
        // Calls that have not returned run until the profile ends.
        if let Some(&(_, stack)) = open.last() {
            let end = since_start(one.end_value);
            if end > last {
                let at_ns = match unit {
                    Unit::Time(_) => last,
                    Unit::Count | Unit::Parts(_) | Unit::Bytes => 0,
                };
                self.add(stack, labels, at_ns, end - last)?;
                last = end;
            }
            let (calls, name) = (counted(open.len() as u64, "call"), &one.name);
            self.profile.notes.push(format!(
                "without a return in {name:?}, and counted until its end: {calls}"
            ));
        }
        if matches!(unit, Unit::Time(_)) {
            self.profile.duration_ns = self.profile.duration_ns.max(last);
        }
        Ok(())
    }
}
