//! `--when 'mailbox>10000'` and what belongs to it.

use std::time::Duration;

use capture::file::flight::{FlightPlan, MAX_HELD_BYTES};
use capture::trigger::Condition;
use clap::Args;

use super::keep;

/// A flight recorder.
#[derive(Debug, Args)]
pub struct When {
    /// Write a capture only when this condition holds, with the samples before and after, one file each
    /// time (NAME.00001-TIME.pb.gz): comparisons (>, >=, <, <=) of mailbox (the largest), messages (all
    /// that wait), runqueue, memory, rss (8GB, 512MiB), processes, collections/s or reductions/s with a
    /// number, joined by "and" and "or". It is checked with each reading (--every).
    #[arg(long, value_name = "CONDITION", value_parser = condition, conflicts_with_all = ["push", "all", "keep", "force", "detach", "work_command", "work_metric"])]
    pub when: Option<Condition>,
    /// With --when: the time to keep from before the condition held (10s, 5min; at most 1h).
    #[arg(long, value_name = "DURATION", default_value = "60s", value_parser = stretch, requires = "when")]
    pub before: Duration,
    /// With --when: the time to record after the condition held.
    #[arg(long, value_name = "DURATION", default_value = "30s", value_parser = stretch, requires = "when")]
    pub after: Duration,
    /// With --when: number of files; after the last one, the recording ends.
    #[arg(long, value_name = "FILES", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=1000), requires = "when")]
    pub max_files: u32,
}

impl When {
    /// The condition for a file and the time that it covers; `None` for one file of all.
    pub fn plan(&self) -> Option<FlightPlan> {
        Some(FlightPlan {
            condition: self.when.clone()?,
            before: self.before,
            after: self.after,
            max_files: self.max_files,
            max_held_bytes: MAX_HELD_BYTES,
        })
    }
}

fn condition(text: &str) -> Result<Condition, String> {
    Condition::parse(text).map_err(|fault| fault.to_string())
}

fn stretch(text: &str) -> Result<Duration, String> {
    match keep::duration(text) {
        Some(length) if (1.0..=3600.0).contains(&length.as_secs_f64()) => Ok(length),
        _ => Err("not a duration from 1s to 1h, such as 30s or 5min".to_owned()),
    }
}
