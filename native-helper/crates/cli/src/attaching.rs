//! Attaching for a command.

use attach::AttachedVm;
use debuginfod::Wish;
use debuginfod::outcome::megabytes;
use diagnose::look::{Looker, attach_if_it_answers};
use profiling_service::debug_files::fetch_missing;

use crate::arguments::DebugFiles;
use crate::failure::Failure;
use crate::progress::ProgressLine;
use crate::stop_flag::{StopFlag, StopForNow};
use crate::terminal;

/// What a shell says of a program that Ctrl-C has ended.
const ENDED_BY_CTRL_C: i32 = 130;

/// Attaches to `pid`. A process that does not let itself be read keeps no command for ever: one of
/// its own tries first.
pub fn attach(pid: u32) -> Result<AttachedVm, Failure> {
    Ok(attach_if_it_answers(pid, &Looker::own_program())?)
}

/// The same, after fetching its debug files if the user wishes it.
pub fn attach_with_names(
    pid: u32,
    debug_files: &DebugFiles,
    stop: &StopFlag,
) -> Result<AttachedVm, Failure> {
    fetch_debug_files(pid, debug_files, stop);
    attach(pid)
}

/// Fetches the debug files that `pid` lacks, if the user wishes it, and says what came of it. Whatever
/// that is, the command goes on. Ctrl-C ends the program, which has nothing to complete yet.
pub fn fetch_debug_files(pid: u32, debug_files: &DebugFiles, stop: &StopFlag) {
    let mut line = ProgressLine::new();
    let mut told = |progress: &debuginfod::Progress| {
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
    let outcome = fetch_missing(pid, &wish, &Looker::own_program(), &mut told, &|| {
        stop.is_raised()
    });
    line.clear();
    for text in outcome.lines(matches!(wish, Wish::Always(_))) {
        terminal::warn(&text);
    }
    if outcome.cancelled {
        std::process::exit(ENDED_BY_CTRL_C);
    }
}

/// The same for a command that signals end at any other time.
pub fn fetch_debug_files_first(pid: u32, debug_files: &DebugFiles) -> Result<(), Failure> {
    let stop = StopForNow::install()?;
    fetch_debug_files(pid, debug_files, stop.flag());
    Ok(())
}
