//! Fetching the debug files of a VM, before it is attached to.
//!
//! A step of its own: attaching reads only files on this machine and queries no server, and it works
//! as before whatever the result of this step.

use std::path::Path;

use debuginfod::outcome::megabytes;
use debuginfod::{Limits, Outcome, Problem, Progress, Servers, Wanted, Wish, fetch};
use diagnose::refusal::Refusal;
use native_code::BuildId;
use protocol::debug_files::{DebugFilesResult, FetchedDebugFile, RefusedDebugFiles};
use protocol::message::{Messages, Text, texts};
use sampling_process::{NamelessObject, Sampler};

/// Fetches the debug files that the objects mapped by `pid` lack, if the user wishes it and there are servers to
/// query. `program` finds these objects, in a process of its own. `report` receives the progress, and `cancelled`
/// is called some ten times a second.
///
/// # Errors
/// The reason why the objects cannot be found. The next attach fails with the same one.
pub fn fetch_missing(
    pid: u32,
    wish: &Wish,
    program: &Path,
    report: &mut dyn FnMut(&Progress),
    cancelled: &dyn Fn() -> bool,
) -> Result<Outcome, Refusal> {
    let servers = Servers::of(wish);
    if servers == Servers::default() {
        return Ok(Outcome::default());
    }
    let nameless = Sampler::nameless_objects(program, pid, cancelled)?;
    let wanted = nameless.into_iter().filter_map(wanted).collect();
    let limits = Limits::of_environment();
    Ok(fetch(wanted, &servers, &limits, report, cancelled))
}

fn wanted(nameless: NamelessObject) -> Option<Wanted> {
    Some(Wanted {
        build_id: BuildId::from_hex(&nameless.build_id)?,
        object: nameless.object,
    })
}

/// The progress of a fetch in few words: `beam.smp: 3.1 MB from http://…`, and how many objects of
/// a hundred are done.
pub(crate) fn shown_progress(progress: &Progress) -> (String, Option<u8>) {
    let message = format!(
        "{}: {} from {}",
        progress.object,
        megabytes(progress.bytes),
        progress.server
    );
    let done = progress.done.saturating_mul(100) / progress.all.max(1);
    (message, u8::try_from(done).ok())
}

/// Code and arguments of why there is no debug file, when they make that very text.
fn messages_of(problem: &Problem, reason: &str) -> Messages {
    let text = match problem {
        Problem::NotAsked { address } => texts::DEBUG_NOT_ASKED.with(&[("address", address)]),
        Problem::NoFolder => texts::DEBUG_NO_FOLDER.text(),
        Problem::SetUserId => texts::DEBUG_SET_USER_ID.text(),
        Problem::NotOurs { path } => texts::DEBUG_NOT_OURS.with(&[("path", path)]),
        Problem::NoCurl => texts::DEBUG_NO_CURL.text(),
        Problem::CurlNotStarted { detail } => {
            texts::DEBUG_CURL_NOT_STARTED.with(&[("detail", detail)])
        }
        Problem::TooLarge { limit } => texts::DEBUG_TOO_LARGE.with(&[("limit", limit)]),
        Problem::Slow { detail } => texts::DEBUG_SLOW.with(&[("detail", detail)]),
        Problem::Unreachable { detail } => texts::DEBUG_UNREACHABLE.with(&[("detail", detail)]),
        Problem::NoTimeLeft => texts::DEBUG_NO_TIME_LEFT.text(),
        Problem::Unproven { detail } => texts::DEBUG_UNPROVEN.with(&[("detail", detail)]),
        Problem::NotWritten { detail } => texts::DEBUG_NOT_WRITTEN.with(&[("detail", detail)]),
        Problem::NotKept { detail } => texts::DEBUG_NOT_KEPT.with(&[("detail", detail)]),
        // The server's answer instead of a file, or an error of the system.
        _ => Text::default(),
    };
    let mut messages = Messages::new();
    if text.english == reason {
        text.with_message("reason", &mut messages);
    }
    messages
}

/// The result of a fetch, for an editor.
pub(crate) fn debug_files_result(outcome: Outcome) -> DebugFilesResult {
    let fetched = outcome.fetched.into_iter().map(|it| FetchedDebugFile {
        object: it.object,
        file: it.path.display().to_string(),
        bytes: it.bytes,
        server: it.server,
    });
    let refused = outcome.refused.into_iter().map(|it| RefusedDebugFiles {
        messages: messages_of(&it.problem, &it.reason),
        server: it.server,
        reason: it.reason,
        objects: it.objects,
    });
    DebugFilesResult {
        fetched: fetched.collect(),
        nobody_has: outcome.nobody_has,
        nobody_had: outcome.nobody_had,
        refused: refused.collect(),
    }
}

#[cfg(test)]
mod tests {
    use debuginfod::cache::CacheError;

    use super::*;

    #[test]
    fn a_reason_has_a_code_when_that_makes_the_same_text() {
        let code_of = |problem: Problem, reason: &str| {
            let outcome = Outcome::impossible(problem, reason.to_owned());
            let [refused] = <[_; 1]>::try_from(debug_files_result(outcome).refused).unwrap();
            assert_eq!(refused.reason, reason);
            refused.messages.get("reason").map(|it| it.code.clone())
        };
        let path = "/x".to_owned();
        let not_ours = CacheError::NotOurs {
            path: path.clone().into(),
        };
        for (problem, error, code) in [
            (Problem::NoFolder, CacheError::NoFolder, "debugNoFolder"),
            (Problem::SetUserId, CacheError::SetUserId, "debugSetUserId"),
            (Problem::NotOurs { path }, not_ours, "debugNotOurs"),
        ] {
            assert_eq!(code_of(problem, &error.to_string()).as_deref(), Some(code));
        }
        assert_eq!(code_of(Problem::NoCurl, "another text"), None);
        assert_eq!(code_of(Problem::Other, "the server says no"), None);
    }
}
