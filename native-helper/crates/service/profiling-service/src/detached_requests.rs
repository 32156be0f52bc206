//! Requests about detached captures.

use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::process::{Command, Stdio};

use protocol::base64;
use protocol::detached::{
    DetachedCapture, DetachedListResult, DetachedReadParams, DetachedReadResult,
    DetachedStartParams,
};
use protocol::error::ErrorData;
use protocol::recording::{WorkCounter, WorkSource};
use rpc_server::{Failure as RpcFailure, FailureKind};

use crate::captures::MAX_READ_BYTES;
use crate::detached::{self, Detached, DetachedName, no_name, read_part};
use crate::rpc_failure::rpc_failure;
use crate::sampling::arguments;
use crate::work::counter_of;

/// Starts one: `program` with the command line that a user would write.
pub fn start(
    program: &Path,
    params: &DetachedStartParams,
    cancelled: &dyn Fn() -> bool,
) -> Result<DetachedCapture, RpcFailure> {
    let name = name_of(&params.name)?;
    let origin = params.origin.as_ref();
    // Texts, a map of texts and truth values always are JSON.
    let origin = origin.and_then(|facts| serde_json::to_string(facts).ok());
    let work = params.work.as_ref().map(work_arguments).transpose()?;
    let mut command = Command::new(program);
    command
        .args(["record", "--recorder", "--no-debuginfod"])
        .arg(format!("--detach={name}"))
        .arg(format!("--duration={}", params.duration_seconds))
        .args(arguments(&params.sampling))
        .args(origin.map(|facts| format!("--origin={facts}")))
        .args(work.unwrap_or_default())
        .arg(params.pid.to_string())
        // The sources that a capture names are not those of whatever folder a connection begins in.
        .current_dir("/")
        .stderr(Stdio::null());
    detached::start(command, &name, cancelled).map_err(|data| as_failure(*data))
}

pub fn list() -> Result<DetachedListResult, RpcFailure> {
    let captures = detached::list().map_err(|error| {
        RpcFailure::new(
            FailureKind::Other,
            "detached captures cannot be listed",
            error.to_string(),
            "make sure that ~/.local/state/extrospect is your own folder",
        )
    })?;
    Ok(DetachedListResult { captures })
}

pub fn stop(name: &str, cancelled: &dyn Fn() -> bool) -> Result<DetachedCapture, RpcFailure> {
    open(name)?.stop(cancelled).map_err(rpc_failure)
}

pub fn remove(name: &str) -> Result<(), RpcFailure> {
    open(name)?.remove().map_err(rpc_failure)
}

pub fn read(params: &DetachedReadParams) -> Result<DetachedReadResult, RpcFailure> {
    let file = open(&params.name)?.capture().map_err(rpc_failure)?;
    let wanted = u64::from(params.max_bytes.min(MAX_READ_BYTES));
    let read = file.metadata().and_then(|metadata| {
        let file_id = format!("{:x}-{:x}", metadata.dev(), metadata.ino());
        Ok((file_id, read_part(file, params.from, wanted)?))
    });
    let (file_id, part) = read.map_err(|error| {
        RpcFailure::new(
            FailureKind::Other,
            format!("the detached capture {} cannot be read", params.name),
            error.to_string(),
            "try again shortly",
        )
    })?;
    Ok(DetachedReadResult {
        base64: base64::encode(&part.bytes),
        file_bytes: part.file_bytes,
        file_id,
    })
}

fn open(name: &str) -> Result<Detached, RpcFailure> {
    Detached::open(name_of(name)?).map_err(rpc_failure)
}

fn name_of(name: &str) -> Result<DetachedName, RpcFailure> {
    name.parse().map_err(|_| rpc_failure(no_name(name)))
}

/// The options that name the counter of work; an invalid counter is refused as for a capture of this conversation.
fn work_arguments(wanted: &WorkCounter) -> Result<Vec<String>, RpcFailure> {
    counter_of(wanted)?;
    let mut arguments = match &wanted.source {
        WorkSource::Command { command } => {
            let words = work_counter::joined(command.iter().map(String::as_str));
            vec![format!("--work-command={words}")]
        }
        WorkSource::Metric { metric, url } => vec![
            format!("--work-metric={metric}"),
            format!("--work-url={url}"),
        ],
    };
    let name = wanted.name.iter();
    arguments.extend(name.map(|name| format!("--work-name={name}")));
    Ok(arguments)
}

fn as_failure(data: ErrorData) -> RpcFailure {
    let kind = match data.exit_code {
        3 => FailureKind::NoSuchTarget,
        4 => FailureKind::NotPermitted,
        5 => FailureKind::TargetGone,
        _ => FailureKind::Other,
    };
    RpcFailure {
        kind,
        explanation: Box::new(data.explanation),
    }
}
