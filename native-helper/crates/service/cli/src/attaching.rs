//! Attaching for a command.

use std::path::Path;

use attach::AttachedVm;
use debuginfod::Wish;
use debuginfod::outcome::megabytes;
use diagnose::lock_in::lock_in;
use diagnose::look::{Looker, expect_answer};
use diagnose::refusal::Refusal;
use diagnose::standstill::standstill;
use lockdown::Phase;
use profiling_service::debug_files::fetch_missing;
use sampling_process::{Attached, Sampler};

use crate::arguments::DebugFiles;
use crate::failure::Failure;
use crate::progress::ProgressLine;
use crate::stop_flag::{StopFlag, StopForNow};
use crate::terminal;

/// The exit code that a shell reports for a program that Ctrl-C has ended.
const ENDED_BY_CTRL_C: i32 = 130;

/// This very program, to be started for work that is to be done by itself.
pub const OWN_PROGRAM: &str = "/proc/self/exe";

/// Attaches to `pid` in this very process, for a command that samples nothing and prints the data it
/// reads, and is locked in from here on. An OS process that cannot be read does not hang the command
/// for ever: a separate process tries first.
pub fn attach_and_only_print(pid: u32) -> Result<AttachedVm, Failure> {
    expect_answer(pid, &Looker::own_program())?;
    only_print(pid)?;
    attach::attach(pid).map_err(|error| Refusal::from(&error).into())
}

/// Locks this process in: it reads `pid` and prints.
pub fn only_print(pid: u32) -> Result<(), Refusal> {
    lock_in(pid, vec![1, 2], Phase::Locked)
}

/// Warns if `pid` is halted, or that is not known: the data read from it is then as the VM left it.
pub fn warn_of_standstill(pid: u32) {
    if let Some(why) = standstill(pid).unwrap_or_else(Some) {
        terminal::warn(&why.to_string());
    }
}

/// Starts a sampling process that attaches to `pid`.
pub fn attach(pid: u32) -> Result<(Sampler, Attached), Refusal> {
    warn_of_standstill(pid);
    Sampler::attach(Path::new(OWN_PROGRAM), pid, &|| false)
}

/// The same, after fetching its debug files if the user wishes it.
pub fn attach_with_names(
    pid: u32,
    debug_files: &DebugFiles,
    stop: &StopFlag,
) -> Result<(Sampler, Attached), Failure> {
    fetch_debug_files(pid, debug_files, stop)?;
    let attached = Sampler::attach(Path::new(OWN_PROGRAM), pid, &|| stop.is_raised());
    if attached.is_err() && stop.is_raised() {
        // There is nothing to complete yet.
        std::process::exit(ENDED_BY_CTRL_C);
    }
    let (mut sampler, attached) = attached?;
    sampler.hurry_when(stop.shared());
    Ok((sampler, attached))
}

/// Fetches the debug files that `pid` lacks, if the user wants that, and reports the result. Whatever
/// it is, the command continues. Ctrl-C ends the program, which has nothing to complete yet.
///
/// # Errors
/// The OS process cannot be read: attaching would wait as long once more.
pub fn fetch_debug_files(
    pid: u32,
    debug_files: &DebugFiles,
    stop: &StopFlag,
) -> Result<(), Refusal> {
    let mut line = ProgressLine::new();
    let mut show = |progress: &debuginfod::Progress| {
        line.show(&format!(
            "debug files, {} of {} done: {} {} from {}, Ctrl-C to end",
            progress.done,
            progress.all,
            progress.object,
            megabytes(progress.bytes),
            progress.server
        ));
    };
    let wish = debug_files.wish();
    let outcome = fetch_missing(pid, &wish, Path::new(OWN_PROGRAM), &mut show, &|| {
        stop.is_raised()
    });
    line.clear();
    if let Err(refusal) = &outcome
        && refusal.is_out_of_time()
        && !stop.is_raised()
    {
        return Err(refusal.clone());
    }
    // The next attempt to attach reports the reason.
    let outcome = outcome.unwrap_or_default();
    for text in outcome.lines(matches!(wish, Wish::Always(_))) {
        terminal::warn(&text);
    }
    if outcome.cancelled {
        std::process::exit(ENDED_BY_CTRL_C);
    }
    Ok(())
}

/// The same for a command that signals end at any other time.
pub fn fetch_debug_files_first(pid: u32, debug_files: &DebugFiles) -> Result<(), Failure> {
    let stop = StopForNow::install()?;
    Ok(fetch_debug_files(pid, debug_files, stop.flag())?)
}
