//! Attaching to a VM that changes during the attach.
//!
//! A VM at work changes between two reads, so inconsistent data are read again. A VM that is just
//! starting needs more than that: for some tens of milliseconds the emulator's tables are empty or
//! half made, and before that the process is still the shell script or the launcher that becomes
//! the emulator. Such a process is tried again for a moment.

use std::time::Duration;

use retry::{AfterFailure, GaveUp, Retry};
use target_proc::ProcFs;
use vm_layout::TableError;

use crate::error::AttachError;

/// How long a process that has just started is tried again.
const PATIENCE: Duration = Duration::from_secs(1);
/// The same with its pauses.
const WHILE_IT_STARTS: Retry = Retry::within(PATIENCE, Duration::from_millis(10));
/// How often a VM that is up is read again.
const LOOKS_AGAIN: u32 = 2;
/// For data that changed during the reading.
const WHILE_IT_CHANGES: Retry = Retry::attempts(LOOKS_AGAIN);
/// A VM is up long before, unless the machine is very busy.
const STARTING: Duration = Duration::from_secs(2);
/// On such a machine one that has used less of a processor, and wants it, is tried again for longer.
const BOOTS_WITHIN_TICKS: u64 = 100;
const WHILE_IT_BOOTS: Retry = Retry::within(Duration::from_secs(15), Duration::from_millis(50));

/// The first result of `attempt` that is not a failure which may pass with time.
pub(crate) fn patiently<T>(
    pid: u32,
    proc_fs: &ProcFs,
    attempt: impl Fn() -> Result<T, AttachError>,
) -> Result<T, AttachError> {
    match while_it_starts(pid, proc_fs, &attempt) {
        Err(error) if may_pass(&error) => {
            let mut boot = Boot::default();
            while_it_boots(error, || boot.goes_on(pid, proc_fs), attempt)
        }
        result => result,
    }
}

/// The activity of a process that may be a VM which boots on a machine with much other work.
#[derive(Debug, Default)]
struct Boot {
    ticks: u64,
}

impl Boot {
    /// Whether it has done little so far and still is at it.
    fn goes_on(&mut self, pid: u32, proc_fs: &ProcFs) -> bool {
        let ticks = proc_fs.activity(pid).map_or(u64::MAX, |it| it.cpu_ticks);
        let has_run = ticks > self.ticks;
        self.ticks = ticks;
        ticks < BOOTS_WITHIN_TICKS && (has_run || wants_a_processor(pid, proc_fs))
    }
}

fn wants_a_processor(pid: u32, proc_fs: &ProcFs) -> bool {
    let threads = proc_fs.thread_ids(pid).unwrap_or_default();
    let mut activities = threads
        .into_iter()
        .filter_map(|tid| proc_fs.thread_activity(pid, tid));
    activities.any(|activity| activity.state == 'R')
}

/// Tries again while the boot continues, and once after it.
fn while_it_boots<T>(
    error: AttachError,
    mut goes_on: impl FnMut() -> bool,
    attempt: impl Fn() -> Result<T, AttachError>,
) -> Result<T, AttachError> {
    if !goes_on() {
        return Err(error);
    }
    let mut went_on = true;
    let judge = |error: &AttachError| {
        // The failed attempt may have read the VM before the boot had ended.
        let again = may_pass(error) && went_on;
        went_on = goes_on();
        AfterFailure::again_if(again)
    };
    WHILE_IT_BOOTS
        .run(attempt, judge)
        .map_err(GaveUp::into_error)
}

fn while_it_starts<T>(
    pid: u32,
    proc_fs: &ProcFs,
    attempt: impl Fn() -> Result<T, AttachError>,
) -> Result<T, AttachError> {
    let mut starting_for = None;
    let tried = WHILE_IT_STARTS.run(&attempt, |error| {
        starting_for = age(proc_fs, pid).filter(|age| *age < STARTING);
        AfterFailure::again_if(may_pass(error) && starting_for.is_some())
    });
    match (tried, starting_for) {
        (Ok(result), _) => Ok(result),
        (Err(GaveUp::Exhausted(error)), Some(age)) => Err(still_starting(pid, age, error)),
        (Err(GaveUp::Final(error)), None) if may_be_torn(&error) => {
            let judge = |error: &AttachError| AfterFailure::again_if(may_be_torn(error));
            WHILE_IT_CHANGES
                .run(attempt, judge)
                .map_err(GaveUp::into_error)
        }
        (Err(gave_up), _) => Err(gave_up.into_error()),
    }
}

/// Why a process is refused that was not up after all that time.
fn still_starting(pid: u32, age: Duration, error: AttachError) -> AttachError {
    match error {
        // It may well be something else altogether.
        AttachError::NotABeam { .. } => error,
        // The build does not change with time.
        AttachError::Unsupported(TableError::OtherBuild { .. }) => error,
        _ => AttachError::StillStarting {
            pid,
            age,
            reason: Box::new(error),
        },
    }
}

/// True when a VM that has just started gives that error.
fn may_pass(error: &AttachError) -> bool {
    match error {
        AttachError::NotABeam { .. } | AttachError::Unsupported(_) | AttachError::Binary(_) => true,
        // Its mappings changed while they were read.
        AttachError::Proc(_) => true,
        AttachError::NoSuchProcess { .. }
        | AttachError::NotPermitted { .. }
        | AttachError::NotYours(_)
        | AttachError::TargetGone { .. }
        | AttachError::BudgetSpent { .. }
        | AttachError::NoAnswer { .. } => false,
        AttachError::StillStarting { reason, .. } => may_pass(reason),
    }
}

/// True when a VM that is up gives that error if it changes while it is read.
fn may_be_torn(error: &AttachError) -> bool {
    match error {
        AttachError::Unsupported(error) => !matches!(
            error,
            TableError::OtherBuild { .. } | TableError::NoSymbol { .. }
        ),
        AttachError::Proc(_) => true,
        _ => false,
    }
}

/// For how long the program of a process has been running: since its first thread beside the main
/// one, for programs that start others in their place keep the age of the process.
fn age(proc_fs: &ProcFs, pid: u32) -> Option<Duration> {
    let threads = proc_fs.thread_ids(pid).ok()?;
    let starts = threads
        .into_iter()
        .filter(|tid| *tid != pid)
        .filter_map(|tid| proc_fs.thread_start_ticks(pid, tid));
    let ticks = starts.min().or_else(|| proc_fs.start_ticks(pid).ok())?;
    proc_fs.age_since(ticks)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;
    use std::process::{Child, Command};
    use std::time::Instant;

    fn young() -> Child {
        Command::new("sleep").arg("600").spawn().unwrap()
    }

    fn binary(text: &str) -> AttachError {
        AttachError::Binary(text.into())
    }

    #[test]
    fn a_process_that_has_just_started_is_tried_until_it_can_be_read() {
        let tried = || {
            let mut child = young();
            let tries = Cell::new(0);
            let result = patiently(child.id(), &ProcFs::live(), || {
                tries.set(tries.get() + 1);
                match tries.get() {
                    1 => Err(AttachError::NotABeam { pid: child.id() }),
                    2 => Err(binary("it is not mapped")),
                    tries => Ok(tries),
                }
            });
            child.kill().unwrap();
            child.wait().unwrap();
            result
        };
        // On a busy machine a child may not be young any more at the first failure: another one then.
        let mut results = std::iter::repeat_with(tried).take(20);
        assert_eq!(results.find_map(Result::ok), Some(3));
    }

    /// How often it is tried beside a boot that continues for so many calls of `goes_on`.
    fn tries_beside_a_boot(asked_while_it_goes_on: u32, succeeds_at: u32) -> (bool, u32) {
        let (asked, tries) = (Cell::new(0), Cell::new(0));
        let goes_on = || {
            asked.set(asked.get() + 1);
            asked.get() <= asked_while_it_goes_on
        };
        let result = while_it_boots(binary("it is not mapped"), goes_on, || {
            tries.set(tries.get() + 1);
            if tries.get() == succeeds_at {
                return Ok(());
            }
            Err(binary("it is not mapped"))
        });
        (result.is_ok(), tries.get())
    }

    #[test]
    fn a_vm_that_boots_on_a_busy_machine_is_tried_until_it_is_up_and_once_more() {
        assert_eq!(tries_beside_a_boot(0, 1), (false, 0), "it is up");
        assert_eq!(tries_beside_a_boot(9, 5), (true, 5));
        assert_eq!(
            tries_beside_a_boot(3, 4),
            (true, 4),
            "up since the last try"
        );
        assert_eq!(tries_beside_a_boot(3, 9), (false, 4));
    }

    #[test]
    fn who_has_done_much_or_does_nothing_does_not_boot() {
        let proc_fs = ProcFs::live();
        let mut child = young();
        let mut boot = Boot::default();
        // The start of the program itself may still count.
        let ends = std::iter::repeat_with(|| boot.goes_on(child.id(), &proc_fs));
        let asleep = ends.take(1000).position(|goes_on| {
            std::thread::sleep(Duration::from_millis(1));
            !goes_on
        });
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(asleep.is_some(), "it sleeps");
        // This very process: at work, and soon for more than a second.
        let me = std::process::id();
        while proc_fs.activity(me).unwrap().cpu_ticks < BOOTS_WITHIN_TICKS {
            std::hint::spin_loop();
        }
        assert!(!Boot::default().goes_on(me, &proc_fs));
    }

    #[test]
    fn patience_ends_and_the_error_states_it() {
        let refused = || {
            let mut child = young();
            let pid = child.id();
            let begun = Instant::now();
            let result = patiently::<()>(pid, &ProcFs::live(), || Err(binary("it is not mapped")));
            assert!(begun.elapsed() >= PATIENCE);
            child.kill().unwrap();
            child.wait().unwrap();
            result.unwrap_err()
        };
        // On a busy machine a child may not be young any more when patience ends: another one then.
        let is_young = |error: &AttachError| matches!(error, AttachError::StillStarting { age, .. } if *age < STARTING);
        let error = std::iter::repeat_with(refused)
            .take(20)
            .find(is_young)
            .expect("an error for a young process");
        let text = error.to_string();
        assert!(
            text.contains("starting") && text.contains("it is not mapped"),
            "{text}"
        );
    }

    #[test]
    fn other_errors_and_processes_that_are_up_are_not_waited_for() {
        let proc_fs = ProcFs::live();
        let tries = Cell::new(0);
        let attempt = |error: fn(u32) -> AttachError| {
            let mut child = young();
            let result = patiently::<()>(child.id(), &proc_fs, || {
                tries.set(tries.get() + 1);
                Err(error(child.id()))
            });
            child.kill().unwrap();
            child.wait().unwrap();
            result.unwrap_err()
        };
        let error = attempt(|pid| AttachError::TargetGone { pid });
        assert!(matches!(error, AttachError::TargetGone { .. }), "{error}");
        assert_eq!(tries.get(), 1);
        // The first process of the machine is up.
        let error = patiently::<()>(1, &proc_fs, || {
            tries.set(tries.get() + 1);
            Err(AttachError::NotABeam { pid: 1 })
        });
        assert!(matches!(error, Err(AttachError::NotABeam { pid: 1 })));
        assert_eq!(tries.get(), 2);
    }

    #[test]
    fn a_vm_that_is_up_is_looked_at_again_when_it_may_have_changed_meanwhile() {
        let proc_fs = ProcFs::live();
        let tries = Cell::new(0);
        let unstable = || {
            tries.set(tries.get() + 1);
            AttachError::Unsupported(TableError::Unstable { table: "a table" })
        };
        let attempt = || match tries.get() {
            0 => Err(unstable()),
            _ => Ok(()),
        };
        patiently(1, &proc_fs, attempt).unwrap();
        tries.set(0);
        let error = patiently::<()>(1, &proc_fs, || Err(unstable())).unwrap_err();
        assert!(matches!(error, AttachError::Unsupported(_)), "{error}");
        assert_eq!(tries.get(), 1 + LOOKS_AGAIN);
    }
}
