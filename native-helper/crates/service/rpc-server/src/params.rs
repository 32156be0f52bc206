//! From the JSON of `params` to the type that a method takes.

use std::ops::RangeInclusive;

use named_members::NamedMembers;
use protocol::detached::DetachedStartParams;
use protocol::flight::FlightStartParams;
use protocol::lifecycle::{HelperCapabilities, NumberOrString, WorkDoneProgressParams};
use protocol::recording::CaptureStartParams;
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
    check_sampling(
        params.frequency_hz,
        params.duration_seconds,
        params.include_kernel,
        capabilities,
    )?;
    check_place(params.node_every_ms, params.file.as_deref())
}

/// Whether a flight recorder can be started like this at all. The condition is the core's to judge.
pub(crate) fn check_flight_start(
    params: &FlightStartParams,
    capabilities: &HelperCapabilities,
) -> Result<(), Failure> {
    check_sampling(
        params.frequency_hz,
        params.duration_seconds,
        params.include_kernel,
        capabilities,
    )?;
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
    check_place(params.node_every_ms, params.file.as_deref())
}

fn check_place(node_every_ms: Option<u32>, file: Option<&str>) -> Result<(), Failure> {
    if node_every_ms.is_some_and(|every| !NODE_EVERY_MS.contains(&every)) {
        return Err(unfit("nodeEveryMs must be 100 to 3600000"));
    }
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
    check_sampling(
        params.frequency_hz,
        params.duration_seconds,
        params.include_kernel,
        capabilities,
    )
}

fn check_sampling(
    frequency_hz: u32,
    duration_seconds: f64,
    include_kernel: bool,
    capabilities: &HelperCapabilities,
) -> Result<(), Failure> {
    let max_frequency_hz = capabilities.max_frequency_hz;
    if frequency_hz == 0 || frequency_hz > max_frequency_hz {
        return Err(unfit(format!(
            "frequencyHz must be 1 to {max_frequency_hz}"
        )));
    }
    if !(0.0..=MAX_DURATION_SECONDS).contains(&duration_seconds) {
        return Err(unfit(format!(
            "durationSeconds must be 0 to {MAX_DURATION_SECONDS}"
        )));
    }
    if include_kernel && !capabilities.kernel_frames {
        return Err(unfit(
            "includeKernel: kernel frames may not be sampled on this machine",
        ));
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
