//! What the profiles of a message measure, and which of them make one capture.

use capture::otlp::ValueType;

use super::malformed;
use super::tables::Tables;
use crate::error::{Defect, ImportError};
use profile_builder::Measure;

/// A profile without its samples.
#[derive(Clone, PartialEq, prost::Message)]
struct Facts {
    #[prost(message, optional, tag = "1")]
    sample_type: Option<ValueType>,
    #[prost(fixed64, tag = "3")]
    time_unix_nano: u64,
    #[prost(uint64, tag = "4")]
    duration_nano: u64,
    #[prost(message, optional, tag = "5")]
    period_type: Option<ValueType>,
    #[prost(int64, tag = "6")]
    period: i64,
    #[prost(int32, repeated, tag = "11")]
    attribute_indices: Vec<i32>,
}

/// Name and unit.
type Measured = (String, String);

/// The facts in a profile about itself.
pub(super) struct Head {
    measured: Measured,
    /// What its period is of.
    of_period: Measured,
    period: u64,
    pub(super) started_unix_ns: u64,
    pub(super) duration_ns: u64,
    pub(super) attributes: Vec<i32>,
}

/// What the values of a profile are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Value {
    /// Samples; the time of each in nanoseconds, 0 when another value has it or it is unknown.
    Count { each_ns: u64 },
    /// Time: nanoseconds in one, and how many of them are a sample; 0 when another value has the samples or they are
    /// unknown.
    Time { unit_ns: u64, period: u64 },
}

impl Value {
    pub(super) fn count_and_time(self, value: u64) -> (u64, u64) {
        match self {
            Self::Count { each_ns } => (value, value.saturating_mul(each_ns)),
            Self::Time { unit_ns, period: 0 } => (0, value.saturating_mul(unit_ns)),
            Self::Time { unit_ns, period } => {
                let rounded = value.saturating_add(period / 2) / period;
                let count = rounded.max(u64::from(value > 0));
                (count, value.saturating_mul(unit_ns))
            }
        }
    }
}

fn ns_of(unit: &str) -> Option<u64> {
    Some(match unit {
        "nanoseconds" | "ns" => 1,
        "microseconds" | "us" => 1_000,
        "milliseconds" | "ms" => 1_000_000,
        "seconds" | "s" => 1_000_000_000,
        _ => return None,
    })
}

impl Head {
    pub(super) fn of(mut bytes: &[u8], tables: &Tables<'_>) -> Result<Self, ImportError> {
        // Not bounded as other entries are: its samples are skipped.
        let facts = <Facts as prost::Message>::decode(&mut bytes)
            .map_err(|error| super::undecodable(&error))?;
        let measured = |value: Option<ValueType>| {
            let value = value.unwrap_or_default();
            let name = tables.text(value.type_strindex)?;
            Ok::<_, ImportError>((name, tables.text(value.unit_strindex)?))
        };
        Ok(Self {
            measured: measured(facts.sample_type)?,
            of_period: measured(facts.period_type)?,
            period: u64::try_from(facts.period).unwrap_or(0),
            started_unix_ns: facts.time_unix_nano,
            duration_ns: facts.duration_nano,
            attributes: facts.attribute_indices,
        })
    }

    fn unit_ns(&self) -> Option<u64> {
        ns_of(&self.measured.1)
    }

    fn is_count(&self) -> bool {
        matches!(self.measured.1.as_str(), "count" | "samples" | "1" | "")
    }

    /// Nanoseconds between two samples.
    fn period_ns(&self) -> u64 {
        let unit_ns = ns_of(&self.of_period.1).unwrap_or(0);
        self.period.saturating_mul(unit_ns)
    }
}

/// The profiles that make one capture: those that measure the same as the first one, and where counts and
/// times of the same samples are there, both.
pub(super) struct Chosen {
    counts: Option<Measured>,
    times: Option<Measured>,
    other: Option<Measured>,
    period_ns: u64,
    pub(super) left_out: usize,
}

impl Chosen {
    pub(super) fn of(heads: &[&Head]) -> Result<Self, ImportError> {
        let first = heads
            .first()
            .ok_or_else(|| malformed(Defect::NoSamples, "it has no profile"))?;
        let mut chosen = Self {
            counts: None,
            times: None,
            other: None,
            period_ns: first.period_ns(),
            left_out: 0,
        };
        let is_there = |wanted: &dyn Fn(&Head) -> bool| heads.iter().find(|head| wanted(head));
        if first.is_count() {
            chosen.counts = Some(first.measured.clone());
            let is_its_time =
                |head: &Head| head.measured == first.of_period && head.unit_ns().is_some();
            chosen.times = is_there(&is_its_time).map(|head| head.measured.clone());
        } else if first.unit_ns().is_some() {
            chosen.times = Some(first.measured.clone());
            let is_its_count = |head: &Head| head.is_count() && head.of_period == first.measured;
            chosen.counts = is_there(&is_its_count).map(|head| head.measured.clone());
        } else {
            chosen.other = Some(first.measured.clone());
        }
        let taken = heads.iter().filter(|head| chosen.takes(head)).count();
        chosen.left_out = heads.len() - taken;
        Ok(chosen)
    }

    fn takes(&self, head: &Head) -> bool {
        let wanted = [&self.counts, &self.times, &self.other];
        wanted.into_iter().flatten().any(|it| *it == head.measured)
    }

    /// What the values of a profile are; `None` for one that is left out.
    pub(super) fn value_of(&self, head: &Head) -> Option<Value> {
        if !self.takes(head) {
            return None;
        }
        let are_both = self.counts.is_some() && self.times.is_some();
        match head.unit_ns() {
            Some(unit_ns) if !are_both => {
                let period = head.period_ns() / unit_ns;
                Some(Value::Time { unit_ns, period })
            }
            Some(unit_ns) => Some(Value::Time { unit_ns, period: 0 }),
            None if are_both => Some(Value::Count { each_ns: 0 }),
            None => Some(Value::Count {
                each_ns: head.period_ns(),
            }),
        }
    }

    pub(super) fn measure(&self) -> Measure {
        match (&self.other, &self.counts, self.period_ns) {
            (Some((name, unit)), _, _) => Measure::Other {
                name: name.clone(),
                unit: unit.clone(),
            },
            (None, Some(_), 0) if self.times.is_none() => Measure::Samples,
            (None, None, 0) => Measure::Time,
            (None, _, period_ns) => Measure::SamplesAndTime { period_ns },
        }
    }

    /// The event that was sampled.
    pub(super) fn event(&self) -> String {
        let of = [&self.times, &self.counts, &self.other];
        let named = of.into_iter().flatten().next();
        named.map_or_else(String::new, |(name, _)| name.clone())
    }
}
