//! Keeps the cost of sampling below the user's limit, by a lower sampling rate.
//!
//! Two pay: the helper, whose processor time is measured, and the target, whose threads are stopped while a
//! sample is taken. The kernel does not report that time, so it is estimated: samples by the cost of one on
//! the machine of `docs/measurements.md`, each source by its own price. The cost of looking at the list of code is cut first, since that
//! costs no samples. When the kernel itself reports that sampling takes too long (it pauses an event), that
//! counts, too. Of several sources, the one that costs most is recorded less often.

use super::Recording;
use super::faults::Faults;
use super::switches::Switches;
use crate::engine::Engine;
use crate::sys;
use capture::quality::OverheadQuality;
use serde::{Deserialize, Serialize};

/// Length of one look: shorter ones show more of chance than of cost.
const LOOK_NS: u64 = 5_000_000_000;
/// The rate is lowered when two looks in a row are above the limit, or one is by so much: one-time
/// lookups, such as those of the names of functions, cost in the beginning only.
const FAR_ABOVE: f64 = 4.0;
/// It is raised again when twice as many samples would cost less than this share of the limit, for so
/// many looks.
const FAR_BELOW: f64 = 0.9;
const CALM_LOOKS: u32 = 6;
/// Lowering by more at once would depend on one look alone.
const STEEPEST: u32 = 8;
/// The rate is never lowered by more than this.
const MOST_WEIGHT: u32 = 64;
/// A lowering that leaves more than this share of the cost was no remedy: it is paid for looking at the
/// target, not for samples.
const NO_REMEDY: f64 = 0.85;

/// The most that may be paid, a share of a core.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct MaxOverhead(pub f64);

/// Counters since the capture began.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Spent {
    elapsed_ns: u64,
    own_cpu_ns: u64,
    /// Of processor time.
    samples: u64,
    /// Of schedulers that were switched out with work.
    blocks: u64,
    /// Switches of others, which are records alone.
    switches: u64,
    /// Of page faults.
    faults: u64,
    throttled: u64,
}

/// The cost during one look, shares of a core.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
struct Cost {
    own: f64,
    target: f64,
    /// The part of the target's that no rate changes.
    of_switches: f64,
}

impl Cost {
    fn worst(self) -> f64 {
        self.own.max(self.target)
    }
}

/// The samples that are taken less often.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Samples,
    Blocks,
    Faults,
}

/// Decides how many times lower than requested the sampling rate is, and of how many blocks and page faults one
/// is recorded.
#[derive(Debug)]
pub(super) struct OverheadGuard {
    most: f64,
    ns_per_sample: f64,
    most_weight: u32,
    weight: u32,
    /// The same of blocks.
    most_blocks_weight: u32,
    blocks_weight: u32,
    /// And of page faults.
    most_faults_weight: u32,
    faults_weight: u32,
    /// The one that costs more.
    dearer: Part,
    looked: Spent,
    cost: Cost,
    is_above: bool,
    /// The list of loaded code is looked at less often; that stays.
    seldom_looks: bool,
    calm: u32,
    /// Weight of the lowered part, and cost, before the last lowering.
    lowered_from: Option<(Part, u32, Cost)>,
    /// The cost whatever the rate is, as far as that was seen.
    fixed: Option<f64>,
}

impl OverheadGuard {
    pub(super) fn new(MaxOverhead(most): MaxOverhead, engine: Engine, asked_hz: u32) -> Self {
        Self {
            most,
            ns_per_sample: ns_per_sample(engine),
            most_weight: asked_hz.clamp(1, MOST_WEIGHT),
            weight: 1,
            most_blocks_weight: 1,
            blocks_weight: 1,
            most_faults_weight: 1,
            faults_weight: 1,
            dearer: Part::Samples,
            looked: Spent::default(),
            cost: Cost::default(),
            is_above: false,
            seldom_looks: false,
            calm: 0,
            lowered_from: None,
            fixed: None,
        }
    }

    /// Sets the weights that samples and blocks should have from now on.
    fn look(&mut self, now: Spent) {
        let before = std::mem::replace(&mut self.looked, now);
        let length_ns = now.elapsed_ns.saturating_sub(before.elapsed_ns).max(1) as f64;
        let since = |now: u64, before: u64| now.saturating_sub(before) as f64;
        let own = since(now.own_cpu_ns, before.own_cpu_ns) / length_ns;
        let samples = since(now.samples, before.samples);
        let blocks = since(now.blocks, before.blocks);
        let faults = since(now.faults, before.faults);
        let of_samples = samples * self.ns_per_sample / length_ns;
        let of_blocks = blocks * NS_PER_BLOCK / length_ns;
        let of_faults = faults * NS_PER_FAULT / length_ns;
        let of_switches = since(now.switches, before.switches) * NS_PER_SWITCH / length_ns;
        let target = of_samples + of_blocks + of_faults + of_switches;
        self.cost = Cost {
            own,
            target,
            of_switches,
        };
        // To name a stack costs the helper as much, whichever source it is of.
        let [of_samples, of_blocks, of_faults] = match own > target {
            true => [samples, blocks, faults],
            false => [of_samples, of_blocks, of_faults],
        };
        self.dearer = largest([
            (Part::Samples, of_samples),
            (Part::Blocks, of_blocks),
            (Part::Faults, of_faults),
        ]);
        let is_throttled = now.throttled > before.throttled;
        let (part, weight) = self.decide(is_throttled);
        let (of_part, most) = self.weight_of(part);
        *of_part = weight.clamp(1, most);
    }

    /// The weight of a part, and the most that it may be.
    fn weight_of(&mut self, part: Part) -> (&mut u32, u32) {
        match part {
            Part::Samples => (&mut self.weight, self.most_weight),
            Part::Blocks => (&mut self.blocks_weight, self.most_blocks_weight),
            Part::Faults => (&mut self.faults_weight, self.most_faults_weight),
        }
    }

    /// The part whose weight is to be this one; it may be that already.
    fn decide(&mut self, is_throttled: bool) -> (Part, u32) {
        let own = self.cost.own;
        let target = self.cost.target - self.cost.of_switches;
        let as_it_is = (Part::Samples, self.weight);
        // Cost that no rate would change counts only where it grows.
        let may_lower_own = self.fixed.is_none_or(|fixed| own > fixed * 1.5);
        let above = match may_lower_own {
            true => own.max(target) / self.most,
            false => target / self.most,
        };
        let was_above = std::mem::replace(&mut self.is_above, above > 1.0);
        if is_throttled {
            self.calm = 0;
            return (Part::Samples, self.weight.saturating_mul(2));
        }
        if above > FAR_ABOVE || (above > 1.0 && was_above) {
            return self.lower(above);
        }
        if above > 1.0 {
            self.calm = 0;
            return as_it_is;
        }
        self.lowered_from = None;
        let rarer = largest([
            (Part::Samples, f64::from(self.weight)),
            (Part::Blocks, f64::from(self.blocks_weight)),
            (Part::Faults, f64::from(self.faults_weight)),
        ]);
        let weight = *self.weight_of(rarer).0;
        let is_calm = weight > 1 && 2.0 * self.cost.worst() < FAR_BELOW * self.most;
        self.calm = if is_calm { self.calm + 1 } else { 0 };
        if self.calm < CALM_LOOKS {
            return as_it_is;
        }
        self.calm = 0;
        (rarer, weight / 2)
    }

    fn lower(&mut self, above: f64) -> (Part, u32) {
        let part = self.dearer;
        let (weight, most_weight) = self.weight_of(part);
        let weight = *weight;
        self.calm = 0;
        self.is_above = false;
        let is_first = !std::mem::replace(&mut self.seldom_looks, true);
        if is_first && above <= FAR_ABOVE && self.cost.target <= self.most {
            return (part, weight);
        }
        if let Some((lowered, before, cost)) = self.lowered_from.take()
            && self.cost.own > NO_REMEDY * cost.own
            && self.cost.target <= self.most
        {
            self.fixed = Some(self.cost.own);
            return (lowered, before);
        }
        if weight >= most_weight {
            return (part, weight);
        }
        self.lowered_from = Some((part, weight, self.cost));
        let wanted = (above.ceil() as u32).next_power_of_two();
        (part, weight.saturating_mul(wanted.clamp(2, STEEPEST)))
    }

    /// The cost is above the limit, and a lower sampling rate would not help.
    fn is_not_kept(&self) -> bool {
        let is_lowest = match self.dearer {
            Part::Samples => self.weight >= self.most_weight,
            Part::Blocks => self.blocks_weight >= self.most_blocks_weight,
            Part::Faults => self.faults_weight >= self.most_faults_weight,
        };
        let can_lower = !is_lowest && self.fixed.is_none() && self.cost.of_switches <= self.most;
        self.cost.worst() > self.most && !can_lower
    }
}

/// The first part of which there is most.
fn largest([first, others @ ..]: [(Part, f64); 3]) -> Part {
    let larger = |most: (Part, f64), one: (Part, f64)| if one.1 > most.1 { one } else { most };
    others.into_iter().fold(first, larger).0
}

/// How long a sample stops its thread, nanoseconds: `docs/measurements.md`. Engine `readv` stops it for
/// longer, but with threads of our own, whose time is measured.
pub(super) const fn ns_per_sample(engine: Engine) -> f64 {
    match engine {
        Engine::Bpf => 8_000.0,
        Engine::Readv => 10_000.0,
    }
}

/// The same of a thread that is switched out with work, and is sampled then.
pub(super) const NS_PER_BLOCK: f64 = 2_000.0;
/// The same of any other switch: the program drops its sample.
pub(super) const NS_PER_SWITCH: f64 = 500.0;
/// The same of a page fault that is sampled: the program does as much as at a tick of the clock. (Estimated.)
pub(super) const NS_PER_FAULT: f64 = ns_per_sample(Engine::Bpf);

impl Recording {
    /// From now on less than `most` is paid, or as little as can be.
    pub fn limit_overhead(&mut self, most: MaxOverhead) {
        // Without a clock there is no rate to lower.
        let asked_hz = match self.sources.cpu {
            true => self.rate.asked_hz(),
            false => 1,
        };
        let mut guard = OverheadGuard::new(most, self.engine.engine, asked_hz);
        if self.switches.is_some() {
            guard.most_blocks_weight = MOST_WEIGHT;
        }
        if self.faults.is_some() {
            guard.most_faults_weight = MOST_WEIGHT;
        }
        self.guard = Some(guard);
    }

    /// Looks at the cost when it is time to, and changes the rate.
    pub(super) fn keep_overhead(&mut self) {
        let Some(looked) = self.guard.as_ref().map(|it| it.looked) else {
            return;
        };
        let elapsed_ns = self.elapsed().as_nanos() as u64;
        if elapsed_ns.saturating_sub(looked.elapsed_ns) < LOOK_NS {
            return;
        }
        let quality = self.quality();
        let recorded = self.switches.as_ref().map(Switches::recorded);
        let (blocks, switches) = recorded.unwrap_or_default();
        let now = Spent {
            elapsed_ns,
            own_cpu_ns: sys::own_cpu_ns().saturating_sub(self.cpu_at_start_ns),
            samples: quality.samples,
            blocks,
            switches,
            faults: self.faults.as_ref().map_or(0, Faults::recorded),
            throttled: quality.throttled,
        };
        let Some(guard) = &mut self.guard else {
            return;
        };
        guard.look(now);
        let wanted = guard.weight;
        if let Some(switches) = &mut self.switches {
            switches.record_fewer(guard.blocks_weight);
        }
        if let Some(faults) = &mut self.faults {
            faults.record_fewer(guard.faults_weight);
        }
        if guard.seldom_looks
            && let Some(watch) = &self.code_watch
        {
            watch.look_less_often();
        }
        // Where the kernel refuses, the rate stays, and the next look finds the cost as it is.
        if self.sample_less_often(wanted).is_err()
            && let Some(guard) = &mut self.guard
        {
            guard.weight = self.rate.weight();
        }
    }

    /// The capture's record of it.
    pub(super) fn overhead(&self) -> Option<OverheadQuality> {
        let guard = self.guard.as_ref()?;
        let percent = |share: f64| (share * 10_000.0).round() / 100.0;
        let tenth = |number: f64| (number * 10.0).round() / 10.0;
        let (now_hz, lowest_hz) = self.rate.now_and_lowest_hz();
        Some(OverheadQuality {
            max_pct: percent(guard.most),
            own_pct: percent(guard.cost.own),
            target_pct: percent(guard.cost.target),
            asked_hz: self.rate.asked_hz(),
            now_hz: tenth(now_hz),
            lowest_hz: tenth(lowest_hz),
            changes: self.rate.changes(),
            lowered_s: tenth(self.rate.lowered_s(sys::monotonic_ns())),
            seldom_looks: guard.seldom_looks,
            not_kept: guard.is_not_kept(),
        })
    }
}

#[cfg(test)]
mod tests;
