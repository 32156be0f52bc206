//! The headline: which class takes which share of the samples.

use serde::{Deserialize, Serialize};
use shared_sort::SharedSort;

use crate::groups::is_owner_marker;
use crate::marks::Mark;
use crate::reader::{Capture, Frame, FunctionIndex, LabelsView};
use crate::sample::SampleClass;

/// Shares by class. Its samples are in the unit of the capture's figures.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ClassSplit {
    /// All samples.
    pub samples: u64,
    /// All samples of work.
    pub busy: u64,
    /// One row for each class that occurs, the largest first.
    pub classes: Vec<ClassShare>,
}

/// The share of one class.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ClassShare {
    /// The class; none in profiles without classes.
    pub class: Option<SampleClass>,
    /// Its samples.
    pub samples: u64,
    /// Percent of all samples.
    pub pct: f64,
    /// Percent of the busy samples; 0 for idle ones.
    pub busy_pct: f64,
}

/// Counts the samples of each class.
pub fn class_split(capture: &Capture) -> ClassSplit {
    let mut counts = [0u64; SampleClass::ALL.len() + 1];
    for sample in capture.samples() {
        let class = capture.labels(sample.labels).class;
        let slot = SampleClass::ALL
            .iter()
            .position(|known| Some(*known) == class);
        let count = &mut counts[slot.unwrap_or(SampleClass::ALL.len())];
        *count = count.saturating_add(capture.amount(sample));
    }
    let Totals { samples, busy } = Totals::of(capture);
    let classes = SampleClass::ALL.into_iter().map(Some).chain([None]);
    let mut classes: Vec<_> = classes
        .zip(counts)
        .filter(|(_, count)| *count > 0)
        .map(|(class, count)| {
            let is_work = class.is_none_or(SampleClass::is_work);
            let busy_count = if is_work { count } else { 0 };
            ClassShare {
                class,
                samples: count,
                pct: percent(count, samples),
                busy_pct: percent(busy_count, busy),
            }
        })
        .collect();
    classes.shared_sort_by_key(|row| std::cmp::Reverse(row.samples));
    ClassSplit {
        samples,
        busy,
        classes,
    }
}

/// The possible bases of percentages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Totals {
    pub(crate) samples: u64,
    pub(crate) busy: u64,
}

impl Totals {
    pub(crate) fn of(capture: &Capture) -> Self {
        let mut totals = Self {
            samples: 0,
            busy: 0,
        };
        for sample in capture.samples() {
            let amount = capture.amount(sample);
            totals.samples = totals.samples.saturating_add(amount);
            if capture.labels(sample.labels).is_busy() {
                totals.busy = totals.busy.saturating_add(amount);
            }
        }
        totals
    }
}

/// The marker of threads that sleep.
pub const IDLE_MARKER: &str = "[idle]";

/// The markers of samples that are no work.
pub(crate) const WAITING: [&str; 2] = [IDLE_MARKER, "[busy wait]"];

/// `part` as a percentage of `whole`, 0 of nothing.
pub(crate) fn percent(part: u64, whole: u64) -> f64 {
    if whole == 0 {
        0.0
    } else {
        part as f64 * 100.0 / whole as f64
    }
}

/// The stand-in for the Erlang function of a sample that shows none: of the task of a port, and of a
/// destructor, the frame that names the port or the type of resources, of any other a marker by its labels.
pub(crate) fn stand_in(
    capture: &Capture,
    labels: &LabelsView<'_>,
    frames: &[Frame],
) -> Result<FunctionIndex, &'static str> {
    let outermost = frames.last().map(|frame| frame.function);
    outermost
        .filter(|function| is_owner_marker(&capture.function(*function)))
        .ok_or_else(|| marker(labels))
}

/// The marker in place of the Erlang function of a sample that shows none.
pub(crate) fn marker(labels: &LabelsView<'_>) -> &'static str {
    use crate::sample::Trust;
    match (labels.trust, labels.class) {
        (Some(Trust::Unproven), _) => Mark::Unproven.name(),
        (_, Some(SampleClass::Idle)) => IDLE_MARKER,
        (_, Some(SampleClass::BusyWait)) => "[busy wait]",
        (_, Some(SampleClass::Port)) => "[port]",
        (_, Some(SampleClass::OtherThread)) => "[other thread]",
        // Schedulers collect for a process only when others request it: garbage_collect/1, purged
        // code, replaced persistent terms.
        (Some(Trust::NoProcess), Some(SampleClass::Gc)) => "[system task]",
        // Schedulers call destructors of resources, of types that are not known, and other callbacks of NIF libraries.
        (Some(Trust::NoProcess), Some(SampleClass::Nif)) => "[NIF in no process]",
        (_, Some(SampleClass::Scheduler)) | (Some(Trust::NoProcess), _) => "[scheduler]",
        (Some(Trust::Bracketed), _) => "[bracketed]",
        _ => "[no Erlang frame]",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::Trust;

    #[test]
    fn native_code_that_schedulers_call_for_no_process_is_named_by_its_kind() {
        let marker = |trust, class| {
            marker(&LabelsView {
                trust: Some(trust),
                class: Some(class),
                ..LabelsView::default()
            })
        };
        for (class, name) in [
            (SampleClass::Nif, "[NIF in no process]"),
            (SampleClass::Gc, "[system task]"),
            (SampleClass::Ets, "[scheduler]"),
            (SampleClass::OtherThread, "[other thread]"),
        ] {
            assert_eq!(marker(Trust::NoProcess, class), name);
        }
        assert_eq!(marker(Trust::Unproven, SampleClass::Nif), "[unproven]");
        assert_eq!(marker(Trust::Bracketed, SampleClass::Nif), "[bracketed]");
    }
}
