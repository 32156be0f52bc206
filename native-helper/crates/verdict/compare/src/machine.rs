//! The machine as far as the captures show it: functions of the same code that all take one factor more or less, and
//! other influences on figures of processor time beside the program.
//!
//! A function that no touched function calls, and whose code is the same, takes as long as before. Where most such
//! functions shift by one factor, each commit would be blamed for the machine. The factor is the weighted median of
//! their changes, so that single functions do not move it, and its error is that of a median by how they scatter.

use capture::sample::FrameKind;
use shared_sort::SharedSort;

use crate::answer::{Change, MovedAlike};
use crate::call_graph::CallGraph;
use crate::given_time::{LostTime, OtherClock};
use crate::judgement::{Doubt, Reason};
use crate::measure::Measure;
use crate::notes::{Note, NoteKind};
use crate::row::Row;
use crate::special_functions::t_quantile;
use crate::spread::{ENOUGH_SAMPLES, Factor, LEAST};
use crate::unchanged_code::UnchangedCode;
use crate::verdicts::Verdict;

const ENOUGH_FUNCTIONS: usize = 8;
/// Of the time of Erlang functions, those of the same code have at least this.
const LEAST_SAME: f64 = 0.5;
/// And those that the factor comes from.
const LEAST_USED: f64 = 0.25;
/// A larger factor is not taken out: the machine was another one.
const LARGEST: f64 = 1.5;
/// The same of a factor whose interval reaches farther than this from the measured one.
const LEAST_STEADY: f64 = 1.1;
/// How much less a median is worth than a mean.
const OF_MEDIAN: f64 = 1.2533;
/// Deviations of a normal distribution that 95 % lie within.
const NORMAL: f64 = 1.96;
/// The share of comparisons in which a factor is seen where there is none.
const MISSED: f64 = 0.01;

/// The functions that are compared, to find a factor.
pub struct Machine<'a> {
    pub rows: &'a [Row],
    pub calls: &'a CallGraph,
}

impl Machine<'_> {
    /// The one factor, where there is one.
    pub fn factor(&self, code: &mut UnchangedCode<'_, '_>) -> Option<(Factor, MovedAlike)> {
        let rows = self.rows;
        let below = self.below_touched(code);
        let mut same = SameCode::default();
        for (row, below) in below.into_iter().enumerate() {
            let change = &rows[row].change.itself;
            if rows[row].change.kind != FrameKind::Erlang {
                continue;
            }
            let samples = [change.base_samples, change.new_samples].map(|count| count as f64);
            same.add_all(samples[0] + samples[1]);
            if code.is_same(rows, row) {
                same.add(samples, [change.base, change.new], below);
            }
        }
        same.factor()
    }

    /// By row: whether a function that the commit touched has it below itself. It may run more often for that.
    fn below_touched(&self, code: &mut UnchangedCode<'_, '_>) -> Vec<bool> {
        let rows = self.rows;
        let mut below = vec![false; rows.len()];
        let touched = (0..rows.len()).filter(|&row| code.is_touched(rows, row) == Some(true));
        let mut to_visit: Vec<usize> = touched.collect();
        while let Some(row) = to_visit.pop() {
            for each in self.calls.of_caller(row) {
                if !std::mem::replace(&mut below[each.call.callee], true) {
                    to_visit.push(each.call.callee);
                }
            }
        }
        below
    }
}

/// The functions of Erlang, and the changes of those whose code is the same.
#[derive(Debug, Default)]
pub struct SameCode {
    /// Samples of all.
    all: f64,
    /// Of those of the same code.
    same: f64,
    /// And of those that the factor comes from.
    used: f64,
    /// Logarithms, each with its weight.
    changes: Vec<(f64, f64)>,
}

impl SameCode {
    /// Samples of functions, of both sides together, whatever their code.
    pub fn add_all(&mut self, samples: f64) {
        self.all += samples;
    }

    /// A function of the same code, by its samples and its values on both sides.
    pub fn add(&mut self, samples: [f64; 2], [base, new]: [f64; 2], is_below_touched: bool) {
        let time = samples[0] + samples[1];
        self.same += time;
        if !is_below_touched && samples[0].min(samples[1]) >= ENOUGH_SAMPLES {
            self.used += time;
            let variance = 1.0 / samples[0] + 1.0 / samples[1] + 2.0 * LEAST * LEAST;
            self.changes.push(((new / base).ln(), 1.0 / variance));
        }
    }

    /// The one factor, where there is one.
    pub fn factor(self) -> Option<(Factor, MovedAlike)> {
        let Self {
            all,
            same,
            used,
            mut changes,
        } = self;
        let functions = changes.len();
        let is_enough =
            functions >= ENOUGH_FUNCTIONS && same >= LEAST_SAME * all && used >= LEAST_USED * all;
        is_enough.then_some(())?;
        let log = median(&mut changes);
        let sum = |of: fn(f64) -> f64| changes.iter().map(|(_, weight)| of(*weight)).sum::<f64>();
        let weights = sum(|weight| weight);
        let effective = weights * weights / sum(|weight| weight * weight);
        let away = changes
            .iter()
            .map(|(change, weight)| (change - log).abs() * weight);
        let deviation = (OF_MEDIAN * away.sum::<f64>() / weights).max(LEAST);
        let error = OF_MEDIAN * deviation / effective.sqrt();
        let degrees = (effective - 1.0).max(1.0);
        let is_seen = log.abs() > t_quantile(1.0 - MISSED / 2.0, degrees) * error;
        let margin = t_quantile(0.975, degrees) * error;
        let pct = |log: f64| log.exp_m1() * 100.0;
        let alike = MovedAlike {
            change_pct: pct(log),
            low_pct: pct(log - margin),
            high_pct: pct(log + margin),
            functions,
            taken_out: log.abs() <= LARGEST.ln() && margin <= LEAST_STEADY.ln(),
        };
        // Figures have degrees of freedom of their own: this widens theirs by no less than the margin of a normal one.
        let variance = (margin / NORMAL).powi(2);
        (is_seen && log.abs() >= LEAST).then_some((Factor { log, variance }, alike))
    }
}

/// The value with half of the weights below it.
fn median(values: &mut [(f64, f64)]) -> f64 {
    values.shared_sort_by(|a, b| a.0.total_cmp(&b.0));
    let half = values.iter().map(|(_, weight)| weight).sum::<f64>() / 2.0;
    let mut sum = 0.0;
    let at = values.iter().position(|(_, weight)| {
        sum += weight;
        sum >= half
    });
    at.map_or(0.0, |at| values[at].0)
}

impl MovedAlike {
    /// What a reader has to know of it.
    pub fn note(&self, measure: Measure, functions_measure: Measure) -> Note {
        let (percent, low, high) = (self.change_pct, self.low_pct, self.high_pct);
        let values = [percent, low, high].map(|pct| format!("{pct:+.1}"));
        let is_of_functions = measure == functions_measure;
        let kind = match (self.taken_out, is_of_functions) {
            (true, true) => NoteKind::MachineTakenOut,
            (false, true) => NoteKind::MachineNotTakenOut,
            (_, false) => NoteKind::MachineOfWhole,
        };
        let functions = self.functions.to_string();
        let [pct, low, high] = &values;
        Note::of(kind, &[&functions, pct, low, high])
    }
}

/// An influence on figures of processor time beside the program: so much more or less, and why.
#[derive(Debug, Clone, PartialEq)]
pub struct Beside {
    /// Logarithms; 0 lies between.
    low: f64,
    high: f64,
    /// For a gate that it keeps from an answer.
    pub doubt: Doubt,
}

impl Beside {
    pub fn of_alike(alike: &MovedAlike) -> Self {
        let log = |pct: f64| (pct / 100.0).ln_1p();
        let values =
            [alike.change_pct, alike.low_pct, alike.high_pct].map(|pct| format!("{pct:+.1}"));
        let [pct, low, high] = &values;
        Self {
            low: log(alike.low_pct).min(0.0),
            high: log(alike.high_pct).max(0.0),
            doubt: Doubt::new(
                Reason::SlowMachine,
                &[pct, low, high],
                format!(
                    "functions of the same code changed by one factor, {pct} % ({low} … {high}), as on a slower, faster or busier machine"
                ),
                "record both sides again, in turn, with nothing else running",
            ),
        }
    }

    pub fn of_lost(lost: LostTime) -> Self {
        let values = [lost.base, lost.new].map(|pct| format!("{pct:.1}"));
        let most = (lost.base.max(lost.new) / 100.0).ln_1p();
        let [base, new] = &values;
        Self {
            low: -most,
            high: most,
            doubt: Doubt::new(
                Reason::ProcessorTimeLost,
                &[base, new],
                format!(
                    "one side alone was kept from processors: {base} % of its time before, {new} % after"
                ),
                "record both sides where neither a quota nor a hypervisor takes processors away",
            ),
        }
    }

    /// At most, a program takes as much longer as its processor is slower.
    pub fn of_clock(clock: OtherClock) -> Self {
        let log = (f64::from(clock.base[0]) / f64::from(clock.new[0])).ln();
        let values = clock.values();
        let [base_low, base_high, new_low, new_high] = &values;
        Self {
            low: log.min(0.0),
            high: log.max(0.0),
            doubt: Doubt::new(
                Reason::SlowMachine,
                &values.each_ref().map(String::as_str),
                format!(
                    "processors ran at {base_low} to {base_high} MHz before and at {new_low} to {new_high} MHz after"
                ),
                "record both sides again, in turn, on processors that keep their frequency",
            ),
        }
    }

    /// A difference of at most this size, a logarithm, infinite where it is not known. It may have raised the figures
    /// of the newer side against those of the older one, or lowered them, or either.
    pub fn of_size(size: f64, raises: bool, lowers: bool, doubt: Doubt) -> Self {
        Self {
            low: if lowers { -size } else { 0.0 },
            high: if raises { size } else { 0.0 },
            doubt,
        }
    }

    /// The least and the largest that a figure of the newer side would be without it.
    pub fn without(&self, value: f64) -> [f64; 2] {
        [value * (-self.high).exp(), value * (-self.low).exp()]
    }

    /// The same without any of several.
    pub fn without_all(several: &[Self], value: f64) -> [f64; 2] {
        several.iter().fold([value; 2], |[least, most], it| {
            [it.without(least)[0], it.without(most)[1]]
        })
    }

    /// Whether it may have made all of a change without an interval, as that of a function with samples on one side.
    pub fn may_have_made(&self, change: &Change) -> bool {
        Self::may_have_moved(change, [self.high, self.low])
    }

    /// Whether it may be that such a change is larger than measured.
    pub fn may_have_hidden(&self, change: &Change) -> bool {
        Self::may_have_moved(change, [self.low, self.high])
    }

    /// Whether these are infinite, of an increase and of a decrease without an interval.
    fn may_have_moved(change: &Change, [increase, decrease]: [f64; 2]) -> bool {
        let has_moved = match change.verdict {
            Verdict::Slower | Verdict::New => increase.is_infinite(),
            Verdict::Faster | Verdict::Gone => decrease.is_infinite(),
            _ => false,
        };
        has_moved && change.low_pct.is_none()
    }

    /// What a change may be without any of several. One without an interval, as of a function that is new or gone, is the
    /// figure of one side: the least and the largest that it would be under the conditions of the other.
    pub fn possible(several: &[&Self], change: &Change) -> Vec<Change> {
        if change.low_pct.is_some() {
            let widened = several.iter();
            return vec![widened.fold(change.clone(), |change, it| it.widened(&change))];
        }
        let low: f64 = several.iter().map(|it| it.low).sum();
        let high: f64 = several.iter().map(|it| it.high).sum();
        let ends = [low, high].map(|log| {
            let (mut base, mut new) = (change.base, change.new);
            // Zero remains zero, by whatever factor.
            if new > 0.0 && base <= 0.0 {
                new *= (-log).exp();
            } else if base > 0.0 && new <= 0.0 {
                base *= log.exp();
            }
            Change {
                base,
                new,
                ..change.clone()
            }
        });
        ends.into()
    }

    /// A change that may be larger or smaller by that.
    fn widened(&self, change: &Change) -> Change {
        let by = |pct: Option<f64>, log: f64| {
            pct.map(|pct| (1.0 + pct / 100.0) * log.exp() * 100.0 - 100.0)
        };
        Change {
            low_pct: by(change.low_pct, -self.high),
            high_pct: by(change.high_pct, -self.low),
            ..change.clone()
        }
    }
}
