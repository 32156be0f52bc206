//! Keeps the cost of sampling below the user's limit, by a lower sampling rate.
//!
//! Two pay: the helper, whose processor time is measured, and the target, whose threads are stopped while a
//! sample is taken. The kernel does not report that time, so it is estimated: samples by the cost of one on
//! the machine of `docs/measurements.md`. The cost of looking at the list of code is cut first, since that
//! costs no samples. When the kernel itself reports that sampling takes too long (it pauses an event), that
//! counts, too.

use super::Recording;
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
    samples: u64,
    throttled: u64,
}

/// The cost during one look, shares of a core.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
struct Cost {
    own: f64,
    target: f64,
}

impl Cost {
    fn worst(self) -> f64 {
        self.own.max(self.target)
    }
}

/// Decides how many times lower than requested the sampling rate is.
#[derive(Debug)]
pub(super) struct OverheadGuard {
    most: f64,
    ns_per_sample: f64,
    most_weight: u32,
    weight: u32,
    looked: Spent,
    cost: Cost,
    is_above: bool,
    /// The list of loaded code is looked at less often; that stays.
    seldom_looks: bool,
    calm: u32,
    /// Weight and cost before the last lowering.
    lowered_from: Option<(u32, Cost)>,
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
            looked: Spent::default(),
            cost: Cost::default(),
            is_above: false,
            seldom_looks: false,
            calm: 0,
            lowered_from: None,
            fixed: None,
        }
    }

    /// The weight that samples should have from now on.
    fn look(&mut self, now: Spent) -> u32 {
        let before = std::mem::replace(&mut self.looked, now);
        let length_ns = now.elapsed_ns.saturating_sub(before.elapsed_ns).max(1) as f64;
        let samples = now.samples.saturating_sub(before.samples) as f64;
        self.cost = Cost {
            own: now.own_cpu_ns.saturating_sub(before.own_cpu_ns) as f64 / length_ns,
            target: samples * self.ns_per_sample / length_ns,
        };
        let is_throttled = now.throttled > before.throttled;
        self.weight = self.decide(is_throttled).clamp(1, self.most_weight);
        self.weight
    }

    fn decide(&mut self, is_throttled: bool) -> u32 {
        let Cost { own, target } = self.cost;
        // Cost that no rate would change counts only where it grows.
        let may_lower_own = self.fixed.is_none_or(|fixed| own > fixed * 1.5);
        let above = match may_lower_own {
            true => self.cost.worst() / self.most,
            false => target / self.most,
        };
        let was_above = std::mem::replace(&mut self.is_above, above > 1.0);
        if is_throttled {
            self.calm = 0;
            return self.weight.saturating_mul(2);
        }
        if above > FAR_ABOVE || (above > 1.0 && was_above) {
            return self.lower(above);
        }
        if above > 1.0 {
            self.calm = 0;
            return self.weight;
        }
        self.lowered_from = None;
        let is_calm = self.weight > 1 && 2.0 * self.cost.worst() < FAR_BELOW * self.most;
        self.calm = if is_calm { self.calm + 1 } else { 0 };
        if self.calm < CALM_LOOKS {
            return self.weight;
        }
        self.calm = 0;
        self.weight / 2
    }

    fn lower(&mut self, above: f64) -> u32 {
        self.calm = 0;
        self.is_above = false;
        let is_first = !std::mem::replace(&mut self.seldom_looks, true);
        if is_first && above <= FAR_ABOVE && self.cost.target <= self.most {
            return self.weight;
        }
        if let Some((weight, cost)) = self.lowered_from.take()
            && self.cost.own > NO_REMEDY * cost.own
            && self.cost.target <= self.most
        {
            self.fixed = Some(self.cost.own);
            return weight;
        }
        if self.weight >= self.most_weight {
            return self.weight;
        }
        self.lowered_from = Some((self.weight, self.cost));
        let wanted = (above.ceil() as u32).next_power_of_two();
        self.weight.saturating_mul(wanted.clamp(2, STEEPEST))
    }

    /// The cost is above the limit, and a lower sampling rate would not help.
    fn is_not_kept(&self) -> bool {
        let can_lower = self.weight < self.most_weight && self.fixed.is_none();
        self.cost.worst() > self.most && !can_lower
    }
}

/// How long a sample stops its thread, nanoseconds: `docs/measurements.md`. Engine `readv` stops it for
/// longer, but with threads of our own, whose time is measured.
fn ns_per_sample(engine: Engine) -> f64 {
    match engine {
        Engine::Bpf => 8_000.0,
        Engine::Readv => 10_000.0,
    }
}

impl Recording {
    /// From now on less than `most` is paid, or as little as can be.
    pub fn limit_overhead(&mut self, most: MaxOverhead) {
        // Without a clock there is no rate to lower.
        let asked_hz = match self.sources.cpu {
            true => self.rate.asked_hz(),
            false => 1,
        };
        self.guard = Some(OverheadGuard::new(most, self.engine.engine, asked_hz));
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
        let now = Spent {
            elapsed_ns,
            own_cpu_ns: sys::own_cpu_ns().saturating_sub(self.cpu_at_start_ns),
            samples: quality.samples,
            throttled: quality.throttled,
        };
        let Some(guard) = &mut self.guard else {
            return;
        };
        let wanted = guard.look(now);
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
