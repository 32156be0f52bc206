//! Fetching the debug files of a VM, before it is attached to.
//!
//! A step of its own: attaching looks at what is on this machine and asks nobody, and whatever comes
//! of this step, attaching works as it did before.

use attach::TargetObjects;
use debuginfod::outcome::megabytes;
use debuginfod::{Limits, Outcome, Progress, Servers, Wanted, Wish, fetch};
use diagnose::look::{Looker, expect_answer};
use protocol::debug_files::{DebugFilesResult, FetchedDebugFile, RefusedDebugFiles};

/// Fetches what the objects mapped by `pid` lack, if the user wishes it and there are servers to ask.
/// `looker` finds out first whether the process lets itself be read; when it does not, or is none,
/// nothing is said here: who attaches says it. `told` hears of progress, and `cancelled` is asked
/// some ten times a second.
pub fn fetch_missing(
    pid: u32,
    wish: &Wish,
    looker: &Looker,
    told: &mut dyn FnMut(&Progress),
    cancelled: &dyn Fn() -> bool,
) -> Outcome {
    let servers = Servers::of(wish);
    if servers == Servers::default() || expect_answer(pid, looker).is_err() {
        return Outcome::default();
    }
    let Ok(objects) = TargetObjects::of_process(pid) else {
        return Outcome::default();
    };
    let limits = Limits::of_environment();
    fetch(missing(&objects), &servers, &limits, told, cancelled)
}

/// What there is to fetch: the debug files of all objects that can be named to a server.
fn missing(objects: &TargetObjects) -> Vec<Wanted> {
    let nameless = objects.without_names().filter_map(|object| {
        Some(Wanted {
            object: object.name().to_owned(),
            build_id: object.build_id.clone()?,
        })
    });
    nameless.collect()
}

/// How far a fetch is, for people who do not read much of it: `beam.smp: 3.1 MB from http://…`, and
/// how many objects of a hundred are done.
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

/// What came of a fetch, for an editor.
pub(crate) fn debug_files_result(outcome: Outcome) -> DebugFilesResult {
    let fetched = outcome.fetched.into_iter().map(|it| FetchedDebugFile {
        object: it.object,
        file: it.path.display().to_string(),
        bytes: it.bytes,
        server: it.server,
    });
    let refused = outcome.refused.into_iter().map(|it| RefusedDebugFiles {
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
