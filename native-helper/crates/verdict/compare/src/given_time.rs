//! The processor time that the VMs of captures were given: what a quota, a hypervisor, other threads or a halt kept them
//! from, and how fast their processors ran.

use capture::quality::{LONGEST_PAUSE_NS, QualityRecord};
use capture::reader::Capture;
use capture::sample_types::{FAULTS, OFF_CPU};
use serde::{Deserialize, Serialize};

use crate::counts::{CaptureCounts, SideCounts};
use crate::notes::{Note, NoteKind};
use crate::side::Side;

/// Less lost time is no reason to doubt anything.
const LEAST_LOST_PCT: f64 = 1.0;
/// The same of time in which threads waited: on any machine that works, some do now and then.
const LEAST_WAITED_PCT: f64 = 10.0;
/// So much more of one side's time than of the other's in which the VM was halted, percentage points: each second has less
/// by just that.
const LEAST_HALTED_PCT: f64 = 1.0;
/// So much more of one side's busy time than of the other's that no sample may stand for, percentage points: its figures
/// are lower by up to that.
const LEAST_MISSING_PCT: f64 = 1.0;

/// The processor time that the VM of a capture was given, as far as the capture contains that.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
pub struct GivenTime {
    /// Processor time that a quota or a hypervisor kept it from, milliseconds.
    pub lost_ms: Option<f64>,
    /// Time in which threads of its control group waited for a processor, milliseconds.
    pub group_waited_ms: Option<f64>,
    /// The same of the machine.
    pub waited_ms: Option<f64>,
    /// Time in which the VM was halted, milliseconds.
    pub halted_ms: Option<f64>,
    /// Busy time that no sample may stand for, milliseconds; of a capture that shows blocked time, such time, and of one
    /// that shows page faults, these.
    pub missing_ms: Option<f64>,
    /// Of a capture that shows blocked time or page faults: how much its samples have by themselves, milliseconds or faults.
    pub sampled: Option<f64>,
    /// Frequency of the processors, MHz: mean, lowest, highest.
    pub mhz: Option<[u32; 3]>,
}

impl GivenTime {
    /// Of a capture.
    pub fn of(capture: &Capture) -> Self {
        let quality = capture.quality();
        let limits = quality.as_ref().and_then(|quality| quality.processors);
        let ms = |ms: Option<u64>| ms.map(|ms| ms as f64);
        let lost_ms = limits.and_then(|limits| {
            // Without a quota there is none of its time; a quota of which nothing is known may have taken any.
            let no_quota = (limits.groups_known && limits.allowed.is_none()).then_some(0);
            Some(limits.throttled_ms.or(no_quota)? as f64 + limits.stolen_ms? as f64)
        });
        let of_events = [OFF_CPU, FAULTS].contains(&capture.shown());
        let sampled_and_missing = quality
            .as_ref()
            .and_then(|quality| sampled_and_missing(capture, quality));
        Self {
            lost_ms,
            group_waited_ms: ms(limits.and_then(|limits| limits.group_pressure_ms)),
            waited_ms: ms(limits.and_then(|limits| limits.pressure_ms)),
            halted_ms: ms(quality.as_ref().map(|quality| quality.gaps.standstill_ms)),
            missing_ms: match of_events {
                true => sampled_and_missing.map(|[_, missing]| missing),
                false => quality.map(|quality| missing_ms(&quality, capture.period_ns())),
            },
            sampled: sampled_and_missing.map(|[sampled, _]| sampled),
            mhz: capture.host().and_then(|host| host.mhz),
        }
    }
}

/// How much the samples of a capture of which each event is recorded have by themselves, and how much they may lack:
/// milliseconds of blocked time, or page faults. `None` of any other, and where it is not known.
fn sampled_and_missing(capture: &Capture, quality: &QualityRecord) -> Option<[f64; 2]> {
    let unwritten = quality.gaps.unwritten;
    let (shown, off_cpu) = (capture.shown(), quality.off_cpu.as_ref());
    if shown == OFF_CPU {
        let duration_ms = capture.duration_ns() as f64 / 1e6;
        return Some(off_cpu?.sampled_and_missing_ms(duration_ms, unwritten));
    }
    // Of records that were lost beside those of switches, not all show whether they were samples of page faults.
    let lost = off_cpu.map_or(0, |it| it.lost);
    let faults = quality.faults.as_ref().filter(|_| shown == FAULTS)?;
    Some(faults.sampled_and_missing(unwritten.saturating_add(lost)))
}

/// That of lost and unwritten samples, and of pauses as long as they may be. By the VM's own clock, that of short-lived
/// threads lies beside them.
fn missing_ms(quality: &QualityRecord, period_ns: u64) -> f64 {
    let samples = quality.lost.saturating_add(quality.gaps.unwritten);
    let lost_ns = samples as f64 * period_ns as f64;
    let paused_ns = quality.throttled as f64 * LONGEST_PAUSE_NS as f64;
    // The clock has time in the kernel, too. Where that is not sampled, it is missing for another reason.
    let samples_kernel = quality.kernel.is_none_or(|kernel| kernel.sampled);
    let by_clock = quality.process_time.filter(|_| samples_kernel);
    let beside_ns = by_clock.map_or(0, |time| time.missing_ns) as f64;
    (lost_ns + paused_ns + beside_ns) / 1e6
}

/// Captures with their counts: those of a side, or of commits of a history.
pub struct GivenTimes<'a> {
    pub name: &'a str,
    pub captures: Vec<(GivenTime, &'a CaptureCounts)>,
}

impl<'a> GivenTimes<'a> {
    pub fn of(side: &'a Side<'_>, counts: &'a SideCounts) -> Self {
        let times = side.captures.iter().map(|it| GivenTime::of(it.capture));
        Self {
            name: &side.name,
            captures: times.zip(&counts.captures).collect(),
        }
    }

    /// Percent of the time that they used that they were kept from; `None` where a capture does not contain it.
    pub fn lost_pct(&self) -> Option<f64> {
        let (mut lost, mut used) = (0.0, 0.0);
        for (given, counted) in &self.captures {
            lost += given.lost_ms?;
            used += counted.busy * counted.sample_seconds * 1000.0;
        }
        (used > 0.0).then_some(lost / used * 100.0)
    }

    /// Percent of their busy time that no sample may stand for: all that is missing may be busy time. `None` where a
    /// capture does not contain it.
    fn missing_pct(&self) -> Option<f64> {
        let (mut missing, mut sampled) = (0.0, 0.0);
        for (given, counted) in &self.captures {
            missing += given.missing_ms?;
            let of_samples = counted.busy * counted.sample_seconds * 1000.0;
            sampled += given.sampled.unwrap_or(of_samples);
        }
        let busy = missing + sampled;
        (busy > 0.0).then(|| missing / busy * 100.0)
    }

    /// The frequency of all; `None` where a capture does not contain it.
    pub fn mhz(&self) -> Option<[u32; 3]> {
        let each: Option<Vec<[u32; 3]>> =
            self.captures.iter().map(|(given, _)| given.mhz).collect();
        let each = each?;
        let sum: u64 = each.iter().map(|mhz| u64::from(mhz[0])).sum();
        let mean = sum.checked_div(each.len() as u64)?;
        let low = each.iter().map(|mhz| mhz[1]).min()?;
        let high = each.iter().map(|mhz| mhz[2]).max()?;
        (low > 0).then_some([u32::try_from(mean).ok()?, low, high])
    }

    /// Percent of the time of the captures; `None` where one does not contain it.
    fn pct_of_time(&self, ms: fn(&GivenTime) -> Option<f64>) -> Option<f64> {
        let (mut sum_ms, mut seconds) = (0.0, 0.0);
        for (given, counted) in &self.captures {
            sum_ms += ms(given)?;
            seconds += counted.seconds;
        }
        (seconds > 0.0).then(|| (sum_ms / seconds / 10.0).min(100.0))
    }
}

/// What one of both was given less of, or at another frequency.
pub fn given_time_notes(base: &GivenTimes<'_>, new: &GivenTimes<'_>) -> impl Iterator<Item = Note> {
    let lost = LostTime::between(base.lost_pct(), new.lost_pct());
    let clock = OtherClock::between(base.mhz(), new.mhz());
    let notes = [
        lost.map(|lost| lost.note(base.name, new.name)),
        clock.map(OtherClock::note),
        waited_note(base, new),
        halted_note(base, new),
        missing_note(base, new),
    ];
    notes.into_iter().flatten()
}

/// Captures in which threads waited for a processor much longer than in the others: of the VMs' control groups where all
/// captures contain it, otherwise of the machines.
fn waited_note(base: &GivenTimes<'_>, new: &GivenTimes<'_>) -> Option<Note> {
    let both =
        |of: fn(&GivenTime) -> Option<f64>| Some((base.pct_of_time(of)?, new.pct_of_time(of)?));
    let of_groups = both(|given| given.group_waited_ms);
    let (base_pct, new_pct) = of_groups.or_else(|| both(|given| given.waited_ms))?;
    let sides = [(base.name, base_pct), (new.name, new_pct)];
    let is_much_longer =
        |longer: f64, other: f64| longer >= LEAST_WAITED_PCT && other < longer / 2.0;
    longer_note(NoteKind::WaitedForProcessors, sides, is_much_longer)
}

/// Captures whose VM was halted for longer than that of the others, however long both were: each second has less of it.
fn halted_note(base: &GivenTimes<'_>, new: &GivenTimes<'_>) -> Option<Note> {
    let pct = |times: &GivenTimes<'_>| times.pct_of_time(|given| given.halted_ms);
    let sides = [(base.name, pct(base)?), (new.name, pct(new)?)];
    let is_longer = |longer: f64, other: f64| longer - other >= LEAST_HALTED_PCT;
    longer_note(NoteKind::HaltedOnOneSide, sides, is_longer)
}

/// Captures in which samples may be missing for more of the busy time than in the others.
fn missing_note(base: &GivenTimes<'_>, new: &GivenTimes<'_>) -> Option<Note> {
    let sides = [
        (base.name, base.missing_pct()?),
        (new.name, new.missing_pct()?),
    ];
    let is_more = |more: f64, other: f64| more - other >= LEAST_MISSING_PCT;
    longer_note(NoteKind::SamplesMissing, sides, is_more)
}

/// The note of a side that has something for a longer part of its time than the other, where these percentages are apart.
fn longer_note(
    kind: NoteKind,
    sides: [(&str, f64); 2],
    are_apart: impl Fn(f64, f64) -> bool,
) -> Option<Note> {
    let [base, new] = sides;
    let (longer, other) = match base.1 > new.1 {
        true => (base, new),
        false => (new, base),
    };
    let [pct, other_pct] = [longer.1, other.1].map(|pct| format!("{pct:.0}"));
    are_apart(longer.1, other.1).then(|| Note::of(kind, &[longer.0, &pct, other.0, &other_pct]))
}

/// The processor time that one side was kept from, where the other was not: throttled by a quota, or taken by a
/// hypervisor. Caches and clocks differ for it, and the work of each second.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LostTime {
    /// Percent of the used time.
    pub base: f64,
    pub new: f64,
}

impl LostTime {
    pub fn between(base: Option<f64>, new: Option<f64>) -> Option<Self> {
        let (base, new) = (base?, new?);
        let is_one_sided = base.max(new) >= LEAST_LOST_PCT
            && base.min(new) < LEAST_LOST_PCT.min(base.max(new) / 2.0);
        is_one_sided.then_some(Self { base, new })
    }

    pub fn note(self, base: &str, new: &str) -> Note {
        let (side, pct, other) = match self.base > self.new {
            true => (base, self.base, new),
            false => (new, self.new, base),
        };
        let pct = format!("{pct:.1}");
        Note::of(NoteKind::ProcessorTimeLost, &[side, &pct, other])
    }
}

/// Frequencies of the processors of two sides that differ by more than each of them varied, MHz.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OtherClock {
    /// Mean, lowest, highest.
    pub base: [u32; 3],
    pub new: [u32; 3],
}

impl OtherClock {
    pub fn between(base: Option<[u32; 3]>, new: Option<[u32; 3]>) -> Option<Self> {
        let (base, new) = (base?, new?);
        let is_apart = base[2] < new[1] || new[2] < base[1];
        is_apart.then_some(Self { base, new })
    }

    /// Ends of both sides.
    pub fn values(self) -> [String; 4] {
        [self.base[1], self.base[2], self.new[1], self.new[2]].map(|mhz| mhz.to_string())
    }

    pub fn note(self) -> Note {
        let values = self.values();
        let values = values.each_ref().map(String::as_str);
        Note::of(NoteKind::ProcessorFrequency, &values)
    }
}
