//! Looks at one VM in a thread or process that can be given up.

pub(crate) mod row;

use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use protocol::discovery::BeamRow;
use protocol::message::texts;
use target_proc::process::BeamProcess;
use target_proc::stuck::Stuck;
use target_proc::{ProcFs, WaitLimit};

use crate::refusal::{Refusal, RefusalKind};
use row::{look_failed, refused, row};

/// After this a look is given up. An honest VM takes a fraction of a second.
pub const MAX_LOOK: Duration = Duration::from_secs(20);
/// How many times during that time the program checks whether a look is at work.
const WINDOWS: u32 = 4;
/// That of [`MAX_LOOK`] between two of them.
pub const LOOK_WINDOW: Duration = Duration::from_secs(MAX_LOOK.as_secs() / WINDOWS as u64);
/// A caller that wants to attach waits so long while the look is at work and not waiting, however short the windows:
/// on a machine with much else to do, a VM that loads code all the time takes its time.
const MAX_AT_WORK: Duration = Duration::from_secs(6 * MAX_LOOK.as_secs());

/// The thread or process that inspects each VM that was found.
#[derive(Debug, Clone)]
pub enum Looker {
    /// A thread of this program. It cannot be given up whole: a program does not end before all
    /// its threads do, and one that waits for a file system that a target serves does not end.
    Thread,
    /// A process of its own, of the program with that path, which knows the command `look`.
    Process(PathBuf),
}

impl Looker {
    /// A process of this very program.
    #[must_use]
    pub fn own_program() -> Self {
        Self::Process("/proc/self/exe".into())
    }

    /// The row of one VM; `None` when it is gone. Takes as long as the VM lets it take. No process is
    /// started for a VM that one is stuck on.
    pub(crate) fn look(
        &self,
        beam: &BeamProcess,
        stuck: &Stuck,
        looking: &LookingProcess,
    ) -> Option<BeamRow> {
        match self {
            Self::Thread => row(beam),
            Self::Process(_) if stuck.on(beam.pid) > 0 => {
                let no_answer = Refusal::no_answer(beam.pid, MAX_LOOK);
                Some(refused(beam, no_answer.explanation.what_text()))
            }
            Self::Process(program) => row_by_process(program, beam.pid, looking)
                .unwrap_or_else(|error| Some(refused(beam, look_failed(beam.pid, &error)))),
        }
    }
}

/// What the process of a [`Looker`] does and prints: the row of one VM, `None` when it is gone.
#[must_use]
pub fn look(pid: u32) -> Option<BeamRow> {
    ProcFs::live()
        .beam(pid)
        .ok()
        .flatten()
        .and_then(|beam| row(&beam))
}

/// The process that looks, once it was started.
#[derive(Debug, Clone, Default)]
pub(crate) struct LookingProcess(Arc<OnceLock<u32>>);

impl LookingProcess {
    /// It was started.
    pub(crate) fn started_as(&self, pid: u32) {
        // One look, one process.
        let _ = self.0.set(pid);
    }

    /// Its progress now; at rest when there is no process.
    pub(crate) fn progress(&self) -> Progress {
        self.0
            .get()
            .map_or(Progress::default(), |pid| Progress::of(*pid))
    }
}

/// What shows whether a process that is to answer is at work.
#[derive(Debug, Clone, Copy, Default)]
pub struct Progress {
    /// Processor time it has used, clock ticks.
    pub cpu_ticks: u64,
    /// It runs, or waits for a processor that others have.
    pub is_runnable: bool,
}

impl Progress {
    /// That of a process of the helper; zero for one that has ended.
    #[must_use]
    pub fn of(pid: u32) -> Self {
        let proc_fs = ProcFs::live();
        let activity = proc_fs.activity(pid);
        Self {
            cpu_ticks: activity.map_or(0, |activity| activity.cpu_ticks),
            is_runnable: proc_fs.has_runnable_thread(pid),
        }
    }
}

/// How long an answer has been waited for, in windows of which [`MAX_LOOK`] has four.
#[derive(Debug, Default)]
pub struct AnswerLimit {
    waited: Duration,
    ticks: u64,
    /// Windows since the process was last at work. One that is stopped for a moment does not end the wait.
    idle_windows: u32,
}

impl AnswerLimit {
    /// Whether to wait for another window, after one of that length at the end of which the process that is to answer had
    /// come so far. Shorter windows shorten the wait for a process that does nothing, not for one at work.
    pub fn goes_on(&mut self, progress: Progress, window: Duration) -> bool {
        let is_at_work = progress.cpu_ticks > self.ticks || progress.is_runnable;
        self.ticks = progress.cpu_ticks;
        // A longer one is one in which the caller was stopped itself: no answer could arrive.
        self.waited += window.min(LOOK_WINDOW);
        self.idle_windows = if is_at_work { 0 } else { self.idle_windows + 1 };
        self.idle_windows < WINDOWS && self.waited < MAX_AT_WORK
    }

    /// Why there is no answer, once it does not go on. A process that is at work to the end is kept by no file.
    #[must_use]
    pub fn refusal(&self, target: u32, waited: Duration) -> Refusal {
        match self.idle_windows < WINDOWS {
            true => Refusal::still_reading(target, waited),
            false => Refusal::no_answer(target, waited),
        }
    }
}

/// The row that a process of its own finds. The caller stops waiting for that process when it takes too long: it ends
/// when it can.
fn row_by_process(
    program: &Path,
    pid: u32,
    looking: &LookingProcess,
) -> io::Result<Option<BeamRow>> {
    let process = Command::new(program)
        .args(["look", "--here", &pid.to_string()])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()?;
    looking.started_as(process.id());
    let output = process.wait_with_output()?;
    if !output.status.success() {
        return Err(io::Error::other(format!("it ended with {}", output.status)));
    }
    Ok(named_members::from_slice(&output.stdout)?)
}

/// A process of its own, of this program, finds out the row of `pid`, and is given up when it has not in
/// twenty seconds.
///
/// # Errors
/// The look did not end, or could not be begun.
pub fn look_within_limit(pid: u32) -> Result<Option<BeamRow>, Refusal> {
    row_within(pid, &Looker::own_program(), MAX_LOOK)
}

/// The most processes that may be stuck on one target; beyond that none is started.
const MOST_STUCK: usize = 4;

/// Refuses a target that processes of the helper are stuck on.
///
/// # Errors
/// There are too many of them.
pub fn refuse_if_stuck(pid: u32) -> Result<(), Refusal> {
    match ProcFs::live().stuck().on(pid) {
        0..MOST_STUCK => Ok(()),
        _ => Err(Refusal::no_answer(pid, MAX_LOOK)),
    }
}

/// Has `looker` attach to `pid` for a moment, and gives it up when it has waited for twenty seconds.
/// Attaching reports any other problem of the process.
///
/// # Errors
/// The look did not end, or could not be begun.
pub fn expect_answer(pid: u32, looker: &Looker) -> Result<(), Refusal> {
    row_within(pid, looker, MAX_LOOK).map(drop)
}

/// The row of `pid` that `looker` finds out, given up after that time without work.
pub(crate) fn row_within(
    pid: u32,
    looker: &Looker,
    longest: Duration,
) -> Result<Option<BeamRow>, Refusal> {
    if let Looker::Process(_) = looker {
        refuse_if_stuck(pid)?;
    }
    let looking = LookingProcess::default();
    let (on_thread, in_process) = (looker.clone(), looking.clone());
    let look = move || match &on_thread {
        Looker::Thread => Ok(look(pid)),
        Looker::Process(program) => row_by_process(program, pid, &in_process),
    };
    let mut patience = AnswerLimit::default();
    let began = Instant::now();
    let window = longest / WINDOWS;
    let looked =
        WaitLimit::of(window).wait_while(look, || patience.goes_on(looking.progress(), window));
    match looked {
        Ok(Ok(row)) => Ok(row),
        Err(error) if error.kind() == io::ErrorKind::TimedOut => {
            Err(patience.refusal(pid, began.elapsed()))
        }
        Ok(Err(error)) | Err(error) => {
            let fix = texts::TO_SEE_WHY.text();
            Err(Refusal::new(
                RefusalKind::Other,
                look_failed(pid, &error),
                fix,
            ))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    /// A program that does that on the command `look`.
    fn program(name: &str, script: &str) -> Looker {
        let file = format!("extrospect-looker-{name}-{}", std::process::id());
        let path = std::env::temp_dir().join(file);
        // A process of its own writes it: a program that this one has open for writing may be in a child
        // that another test is just starting, and cannot be executed then.
        let written = Command::new("/bin/sh")
            .args([
                "-c",
                r#"printf '#!/bin/sh\n%s\n' "$1" > "$0" && chmod 700 "$0""#,
            ])
            .arg(&path)
            .arg(script)
            .status();
        assert!(written.unwrap().success());
        Looker::Process(path)
    }

    fn answer(looker: Looker, longest: Duration) -> Result<(), Refusal> {
        let result = row_within(7, &looker, longest).map(drop);
        if let Looker::Process(path) = looker {
            fs::remove_file(path).unwrap();
        }
        result
    }

    #[test]
    fn a_look_that_never_ends_is_given_up_and_the_refusal_has_the_remedy() {
        // Ends when the test does: no process holds the other end of its input then.
        let never = program("never", "exec sleep 30");
        let refusal = answer(never, Duration::from_millis(50)).unwrap_err();
        let explanation = &refusal.explanation;
        assert!(explanation.what.contains("could not be read within"));
        assert!(explanation.fix.contains("/proc/7/maps"), "{refusal}");
    }

    #[test]
    fn a_look_at_work_is_not_given_up_like_one_that_waits() {
        let waited = |progress: &dyn Fn(u64) -> Progress| {
            let mut patience = AnswerLimit::default();
            (1..=100)
                .take_while(|window| patience.goes_on(progress(*window), LOOK_WINDOW))
                .count()
        };
        let windows_waited = |ticks: &dyn Fn(u64) -> u64| {
            waited(&|window| Progress {
                cpu_ticks: ticks(window),
                is_runnable: false,
            })
        };
        let usual = WINDOWS as usize - 1;
        assert_eq!(windows_waited(&|_| 0), usual, "it never ran");
        assert_eq!(
            windows_waited(&|_| 5),
            1 + usual,
            "it ran for a while, and waits"
        );
        let until_late = |window: u64| window.min(9);
        assert_eq!(
            windows_waited(&until_late),
            9 + usual,
            "it ran, and waits since"
        );
        let at_work = windows_waited(&|window| window);
        assert_eq!(
            at_work,
            MAX_AT_WORK.div_duration_f64(LOOK_WINDOW) as usize - 1,
            "and not for ever"
        );
        let kept_waiting = |window: u64| Progress {
            cpu_ticks: 0,
            is_runnable: window < 9,
        };
        assert_eq!(
            waited(&kept_waiting),
            8 + usual,
            "others had the processors"
        );
    }

    #[test]
    fn the_time_in_which_the_caller_was_stopped_is_no_wait() {
        let mut patience = AnswerLimit::default();
        for window in 1..WINDOWS {
            let progress = Progress {
                cpu_ticks: u64::from(window),
                is_runnable: false,
            };
            assert!(patience.goes_on(progress, 2 * MAX_AT_WORK));
        }
        assert!(patience.goes_on(Progress::default(), 2 * MAX_AT_WORK));
    }

    #[test]
    fn shorter_windows_end_only_the_wait_for_a_process_that_does_nothing() {
        let short = Duration::from_secs(1);
        let waited = |is_runnable: bool| {
            let mut patience = AnswerLimit::default();
            let progress = Progress {
                cpu_ticks: 0,
                is_runnable,
            };
            let windows = (1..=1_000).take_while(|_| patience.goes_on(progress, short));
            short * (windows.count() as u32 + 1)
        };
        assert_eq!(waited(false), short * WINDOWS);
        assert_eq!(waited(true), MAX_AT_WORK);
    }

    #[test]
    fn a_look_at_work_to_the_end_blames_no_file() {
        let reason = |is_at_work: bool| {
            let mut patience = AnswerLimit::default();
            let progress = |window: u64| Progress {
                cpu_ticks: if is_at_work { window } else { 0 },
                is_runnable: false,
            };
            (1..).find(|window| !patience.goes_on(progress(*window), LOOK_WINDOW));
            let refusal = patience.refusal(7, MAX_LOOK);
            assert!(refusal.is_out_of_time());
            refusal.explanation.what
        };
        assert!(reason(true).contains("this machine is overloaded"));
        assert!(reason(false).contains("a file that does not answer"));
    }

    #[test]
    fn the_processor_time_of_the_process_that_looks_is_known() {
        let looking = LookingProcess::default();
        assert_eq!(looking.progress().cpu_ticks, 0);
        looking.started_as(std::process::id());
        // Until this very process has used a tick of ten milliseconds.
        while looking.progress().cpu_ticks == 0 {
            std::hint::spin_loop();
        }
    }

    #[test]
    fn a_look_that_ends_is_an_answer_whatever_it_found() {
        assert_eq!(answer(program("gone", "echo null"), MAX_LOOK), Ok(()));
        let refusal = answer(program("broken", "exit 3"), MAX_LOOK).unwrap_err();
        assert!(
            refusal
                .explanation
                .what
                .contains("reading process 7 failed")
        );
    }
}
