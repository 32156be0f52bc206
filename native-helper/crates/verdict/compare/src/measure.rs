//! The normalisation of a comparison.

use serde::{Deserialize, Serialize};

/// The normalisation: it gives the figures of a comparison their unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Measure {
    /// Percent of the samples of work. It does not show how much there is to do, and a function
    /// that did not change grows when another shrinks.
    Share,
    /// Processor time each second, percent of one core. Needs the same load on both sides.
    Cpu,
    /// Processor time for each unit of work that the user named, microseconds.
    Work,
}

impl Measure {
    /// The unit of its figures, as people read it; `work` is what counts as work.
    pub fn unit(self, work: Option<&str>) -> String {
        match (self, work) {
            (Self::Share, _) => "% of the busy samples".to_owned(),
            (Self::Cpu, _) => "% of a core".to_owned(),
            (Self::Work, Some(work)) => format!("µs of CPU per unit of work ({work})"),
            (Self::Work, None) => "µs of CPU per unit of work".to_owned(),
        }
    }
}
