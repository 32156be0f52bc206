//! From the JSON of `params` to the type that a method takes.

use std::ops::RangeInclusive;

use capture::sample_types::{CPU, OFF_CPU};
use named_members::NamedMembers;
use protocol::detached::DetachedStartParams;
use protocol::flight::FlightStartParams;
use protocol::lifecycle::{HelperCapabilities, NumberOrString, WorkDoneProgressParams};
use protocol::recording::{CaptureStartParams, WorkCounter};
use protocol::sampling::{MAX_MIN_BLOCK_US, SamplingParams};
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::failure::{Failure, FailureKind};

/// A year; a longer capture runs until stopped (0).
const MAX_DURATION_SECONDS: f64 = 31_536_000.0;
/// How often a target may be read as a whole: as `record --every` has it.
const NODE_EVERY_MS: RangeInclusive<u32> = 100..=3_600_000;
/// A day: there is no prompt to continue.
const MAX_FLIGHT_SECONDS: f64 = 86_400.0;
/// The stretch kept before and after, as `record --before` has it.
const STRETCH_SECONDS: RangeInclusive<f64> = 1.0..=3_600.0;
/// As `record --max-files` has it.
const MAX_FILES: RangeInclusive<u32> = 1..=1_000;

/// Reads `params`; absent ones are an empty object. A failure names the member that does not fit.
pub fn decode<P: DeserializeOwned>(params: Value) -> Result<P, Failure> {
    let params = match params {
        Value::Null => Value::Object(serde_json::Map::new()),
        Value::Object(members) => Value::Object(members),
        // Positional parameters would fit types by accident.
        _ => return Err(unfit("params must be an object: parameters have names")),
    };
    serde_path_to_error::deserialize(NamedMembers(params)).map_err(|error| {
        let path = error.path().to_string();
        if path == "." {
            unfit(error.inner().to_string())
        } else {
            unfit(error.to_string())
        }
    })
}

/// Reads `params` that have those of sampling among them. Those are also read alone: the failure of a flattened member
/// does not name it.
pub(crate) fn decode_start<P: DeserializeOwned>(params: Value) -> Result<P, Failure> {
    decode::<SamplingParams>(params.clone())?;
    decode(params)
}

/// The token for progress, if `params` carry a usable one.
pub(crate) fn progress_token(params: &Value) -> Option<NumberOrString> {
    let token = params.get("workDoneToken")?.clone();
    let params = serde_json::json!({ "workDoneToken": token });
    serde_json::from_value::<WorkDoneProgressParams>(params)
        .ok()?
        .work_done_token
}

/// Whether a capture can be started like this at all.
pub(crate) fn check_capture_start(
    params: &CaptureStartParams,
    capabilities: &HelperCapabilities,
) -> Result<(), Failure> {
    check_sampling(&params.sampling, params.duration_seconds, capabilities)?;
    check_work(&params.sampling, params.work.as_ref())?;
    check_file(params.file.as_deref())
}

/// Whether a flight recorder can be started like this at all. The condition is the core's to judge.
pub(crate) fn check_flight_start(
    params: &FlightStartParams,
    capabilities: &HelperCapabilities,
) -> Result<(), Failure> {
    check_sampling(&params.sampling, params.duration_seconds, capabilities)?;
    if params.duration_seconds <= 0.0 || params.duration_seconds > MAX_FLIGHT_SECONDS {
        return Err(unfit(format!(
            "durationSeconds must be more than 0 and at most {MAX_FLIGHT_SECONDS}"
        )));
    }
    let stretches = [params.before_seconds, params.after_seconds];
    if !stretches.iter().all(|it| STRETCH_SECONDS.contains(it)) {
        return Err(unfit("beforeSeconds and afterSeconds must be 1 to 3600"));
    }
    if !MAX_FILES.contains(&params.max_files) {
        return Err(unfit("maxFiles must be 1 to 1000"));
    }
    check_file(params.file.as_deref())
}

fn check_file(file: Option<&str>) -> Result<(), Failure> {
    if file.is_some_and(str::is_empty) {
        return Err(unfit(
            "file must not be empty; leave it out to let the helper choose",
        ));
    }
    Ok(())
}

/// Whether a detached capture can be started like this at all.
pub(crate) fn check_detached_start(
    params: &DetachedStartParams,
    capabilities: &HelperCapabilities,
) -> Result<(), Failure> {
    check_sampling(&params.sampling, params.duration_seconds, capabilities)?;
    check_work(&params.sampling, params.work.as_ref())
}

/// As `record` has it.
fn check_work(sampling: &SamplingParams, work: Option<&WorkCounter>) -> Result<(), Failure> {
    let types = &sampling.types;
    let has_cpu = types.is_empty() || types.iter().any(|id| id == CPU.id);
    match work {
        Some(_) if !has_cpu => Err(unfit(
            "types must have cpu where work is counted: work is shown by its processor time",
        )),
        _ => Ok(()),
    }
}

fn check_sampling(
    sampling: &SamplingParams,
    duration_seconds: f64,
    capabilities: &HelperCapabilities,
) -> Result<(), Failure> {
    let max_frequency_hz = capabilities.max_frequency_hz;
    if sampling.frequency_hz == 0 || sampling.frequency_hz > max_frequency_hz {
        return Err(unfit(format!(
            "frequencyHz must be 1 to {max_frequency_hz}"
        )));
    }
    if !(0.0..=MAX_DURATION_SECONDS).contains(&duration_seconds) {
        return Err(unfit(format!(
            "durationSeconds must be 0 to {MAX_DURATION_SECONDS}"
        )));
    }
    if sampling.include_kernel && !capabilities.kernel_frames {
        return Err(unfit(
            "includeKernel: kernel frames may not be sampled on this machine",
        ));
    }
    let known = &capabilities.sample_types;
    if let Some(unknown) = sampling.types.iter().find(|id| !known.contains(id)) {
        let known = known.join(", ");
        return Err(unfit(format!("types must be of {known}, not {unknown}")));
    }
    let every_ms = sampling.node_every_ms;
    if every_ms.is_some_and(|every| !NODE_EVERY_MS.contains(&every)) {
        return Err(unfit("nodeEveryMs must be 100 to 3600000"));
    }
    if let Some(us) = sampling.min_block_us {
        if us > MAX_MIN_BLOCK_US {
            return Err(unfit(format!("minBlockUs must be 0 to {MAX_MIN_BLOCK_US}")));
        }
        if !sampling.types.iter().any(|id| id == OFF_CPU.id) {
            return Err(unfit(format!("minBlockUs is for the type {}", OFF_CPU.id)));
        }
    }
    Ok(())
}

fn unfit(why: impl Into<String>) -> Failure {
    Failure::new(
        FailureKind::InvalidParams,
        "The parameters do not fit the method",
        why,
        "see docs/protocol.md for the parameters of each method",
    )
}
