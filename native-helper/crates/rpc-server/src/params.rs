//! From the JSON of `params` to the type that a method takes.

use protocol::detached::DetachedStartParams;
use protocol::lifecycle::{HelperCapabilities, NumberOrString, WorkDoneProgressParams};
use protocol::recording::CaptureStartParams;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::failure::{Failure, FailureKind};

/// A year; what is longer runs until stopped (0).
const MAX_DURATION_SECONDS: f64 = 31_536_000.0;

/// Reads `params`; absent ones are an empty object. A failure names the member that does not fit.
pub fn decode<P: DeserializeOwned>(params: Value) -> Result<P, Failure> {
    let params = match params {
        Value::Null => Value::Object(serde_json::Map::new()),
        Value::Object(members) => Value::Object(members),
        // Positional parameters would fit types by accident.
        _ => return Err(unfit("params must be an object: parameters go by name")),
    };
    serde_path_to_error::deserialize(params).map_err(|error| {
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
    if params.file.as_ref().is_some_and(String::is_empty) {
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
