//! The flight recorders of one conversation.

use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use capture::facts::TargetFacts;
use capture::file::flight::{FlightPlan, FlightRecorder, MAX_HELD_BYTES};
use capture::trigger::{Condition, ConditionFault};
use protocol::flight::{FlightCheckResult, FlightEndedParams, FlightFault, FlightStartParams};
use protocol::recording::EngineInUse;
use rpc_server::{Failure as RpcFailure, FailureKind, FlightSink};
use sampling_process::Sampler;

use crate::capture_name::{default_name, numbered};
use crate::captures::{Captures, no_place, remove};
use crate::flight_job::{FlightJob, WrittenFiles};
use crate::job_control::JobControl;
use crate::jobs::{Job, JobKind, Jobs};
use crate::rpc_failure::rpc_failure;
use crate::sampling::recording_settings;
use crate::state_folder::capture_folder;

/// Each keeps earlier samples in memory, and has a process that samples.
const MOST_WATCHING: usize = 8;

const KIND: JobKind = JobKind {
    name: "flight recorder",
    thread: "flight",
    not_started: "The VM cannot be watched",
    most_running: MOST_WATCHING,
    too_many: "No more VMs can be watched",
};

/// Flight recorders by id.
#[derive(Debug)]
pub struct Flights(Jobs<FlightEndedParams, WrittenFiles>);

impl Default for Flights {
    fn default() -> Self {
        Self(Jobs::of(KIND))
    }
}

/// Whether a text is a condition.
pub fn check(text: &str) -> FlightCheckResult {
    let fault = Condition::parse(text).err().map(|fault| FlightFault {
        at: u32::try_from(fault.at).unwrap_or(u32::MAX),
        expected: fault.expected,
        options: fault
            .expected
            .options()
            .into_iter()
            .map(str::to_owned)
            .collect(),
    });
    FlightCheckResult { fault }
}

impl Flights {
    /// Begins to watch `target`, which `sampler` is attached to. Its files are read and removed by `captures`.
    pub fn start(
        &self,
        sampler: Sampler,
        target: &TargetFacts,
        params: &FlightStartParams,
        (sink, captures): (FlightSink, Arc<Captures>),
        cancelled: &dyn Fn() -> bool,
    ) -> Result<EngineInUse, RpcFailure> {
        let plan = plan_of(params)?;
        let path = stem_of(target, params, sink.flight_id())?;
        let recorder =
            FlightRecorder::create(&path, plan).map_err(|error| rpc_failure((&error).into()))?;
        let control = Arc::<JobControl<FlightEndedParams>>::default();
        let written = WrittenFiles::default();
        let job = FlightJob {
            sampler,
            pid: target.pid,
            settings: recording_settings(&params.sampling),
            recorder,
            duration_s: params.duration_seconds,
            attachment_id: params.attachment_id,
            is_named_by_us: params.file.is_none(),
            origin: params.origin.clone(),
            sink: sink.clone(),
            captures,
            control: Arc::clone(&control),
            written: Arc::clone(&written),
        };
        let entry = Job {
            attachment_id: params.attachment_id,
            control,
            details: written,
        };
        self.0
            .start(sink.flight_id(), entry, cancelled, move |started| {
                job.run(started);
            })
    }

    /// Ends one that the client does not know yet, and leaves no file.
    pub fn discard(&self, flight_id: u32) {
        if let Ok(written) = self.0.discard(flight_id) {
            let written = written.lock().unwrap_or_else(PoisonError::into_inner);
            written.iter().for_each(|path| remove(path));
        }
    }

    /// Ends one and waits until its files are complete.
    pub fn stop(&self, flight_id: u32) -> Result<FlightEndedParams, RpcFailure> {
        self.0.stop(flight_id)
    }

    /// Ends those of one attachment.
    pub fn end_of_attachment(&self, attachment_id: u32) {
        self.0.end_of_attachment(attachment_id);
    }

    /// Ends all of them; none can be started afterwards.
    pub fn close(&self) {
        self.0.close();
    }
}

fn plan_of(params: &FlightStartParams) -> Result<FlightPlan, RpcFailure> {
    Ok(FlightPlan {
        condition: Condition::parse(&params.condition).map_err(|fault| no_condition(&fault))?,
        before: Duration::from_secs_f64(params.before_seconds),
        after: Duration::from_secs_f64(params.after_seconds),
        max_files: params.max_files,
        max_held_bytes: MAX_HELD_BYTES,
    })
}

/// The stem of the files' names.
fn stem_of(
    target: &TargetFacts,
    params: &FlightStartParams,
    flight_id: u32,
) -> Result<PathBuf, RpcFailure> {
    if let Some(wanted) = params.file.as_deref() {
        return std::path::absolute(wanted).map_err(|error| no_place(Path::new(wanted), &error));
    }
    let folder =
        capture_folder().map_err(|error| no_place(Path::new("the state folder"), &error))?;
    let commit = params.origin.as_ref().map(|origin| origin.commit.as_str());
    let name = default_name(target, commit.unwrap_or_default());
    // Two that begin in the same second have different ids, in one conversation; their processes in two.
    let own = numbered(&name, std::process::id());
    Ok(folder.join(numbered(&own, flight_id)))
}

fn no_condition(fault: &ConditionFault) -> RpcFailure {
    RpcFailure::new(
        FailureKind::InvalidParams,
        "The condition to record by is unclear",
        fault.to_string(),
        "write it as mailbox>10000 or runqueue>20 or memory>8GB",
    )
}

#[cfg(test)]
mod tests {
    use capture::trigger::Expected;

    use super::*;

    #[test]
    fn a_fault_is_reported_with_the_possible_words() {
        assert_eq!(check("mailbox > 10 and rss < 8GiB").fault, None);
        let fault = check("mailbox=1").fault.unwrap();
        assert_eq!((fault.at, fault.expected), (8, Expected::Operator));
        assert_eq!(fault.options, [">", ">=", "<", "<="]);
        let fault = check("").fault.unwrap();
        assert_eq!(fault.at, 1);
        assert!(fault.options.contains(&"collections/s".to_owned()));
        assert_eq!(check("rss>").fault.unwrap().options.len(), 0);
    }

    #[test]
    fn unknown_ones_are_reported_and_closing_twice_is_fine() {
        let flights = Flights::default();
        let failure = flights.stop(7).unwrap_err();
        assert_eq!(failure.kind, FailureKind::InvalidParams);
        flights.end_of_attachment(1);
        flights.close();
        flights.close();
    }
}
