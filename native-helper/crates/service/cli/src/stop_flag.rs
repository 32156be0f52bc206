//! Ctrl-C and SIGTERM as a flag: a capture ends cleanly and keeps its samples.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::process::Signal;
use signal_hook::consts::{SIGHUP, SIGINT, SIGPIPE, SIGTERM};
use signal_hook::iterator::SignalsInfo;
use signal_hook::iterator::exfiltrator::WithRawSiginfo;
use signal_hook::low_level::emulate_default_handler;

use crate::arguments::Command;

/// Set by the first SIGINT, SIGTERM or SIGHUP; a second SIGINT ends the program at once.
#[derive(Debug, Clone)]
pub struct StopFlag(Arc<AtomicBool>);

impl StopFlag {
    /// Installs the handlers.
    pub fn install() -> std::io::Result<Self> {
        let flag = Arc::new(AtomicBool::new(false));
        signal_hook::flag::register_conditional_shutdown(SIGINT, 130, Arc::clone(&flag))?;
        for signal in [SIGINT, SIGTERM, SIGHUP] {
            signal_hook::flag::register(signal, Arc::clone(&flag))?;
        }
        Ok(Self(flag))
    }

    /// The flag itself, for code that has no reference to this.
    pub fn shared(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.0)
    }

    /// True when it is time to stop.
    pub fn is_raised(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Signals to this program that are for the command that it runs.
pub struct PassedOn(SignalsInfo<WithRawSiginfo>);

/// They would end this program and leave the command behind. So would the real-time ones. Those of faults of this program
/// (SIGSEGV, SIGBUS, SIGILL, SIGFPE) cannot be handled: it cannot go on after one.
const ENDING: [Signal; 17] = [
    Signal::TERM,
    Signal::HUP,
    Signal::INT,
    Signal::QUIT,
    Signal::USR1,
    Signal::USR2,
    Signal::ALARM,
    Signal::VTALARM,
    Signal::PROF,
    Signal::IO,
    Signal::POWER,
    Signal::STKFLT,
    Signal::XCPU,
    Signal::XFSZ,
    Signal::ABORT,
    Signal::TRAP,
    Signal::SYS,
];
/// `si_code` of a signal that no process has sent.
const SI_KERNEL: i32 = 0x80;

impl PassedOn {
    /// Installs the handlers.
    pub fn install() -> std::io::Result<Self> {
        let ignored = ignored_signals();
        // One that is ignored (`nohup`, a job in the background) is so for the command, too.
        let heard = ending().filter(|signal| ignored & (1 << (signal - 1)) == 0);
        Ok(Self(SignalsInfo::new(heard)?))
    }

    /// Those that have come since the last call, by their numbers.
    pub fn take(&mut self) -> impl Iterator<Item = i32> {
        self.0.pending().filter_map(|info| {
            if is_own_fault(info.si_signo, info.si_code) {
                // As it would have without a handler.
                let _ = emulate_default_handler(info.si_signo);
            }
            is_for_command(info.si_signo, info.si_code).then_some(info.si_signo)
        })
    }

    /// Whether any has come since the last call of this or of [`take`](Self::take), by a key, too.
    pub fn have_come(&mut self) -> bool {
        self.0.pending().next().is_some()
    }
}

/// The numbers of all signals that are passed on. The C library keeps the first real-time ones for itself.
fn ending() -> impl Iterator<Item = i32> {
    let named = ENDING.iter().map(|signal| signal.as_raw());
    named.chain(libc::SIGRTMIN()..=libc::SIGRTMAX())
}

/// A breakpoint or a refused system call of this program, and not a signal that a program has sent.
fn is_own_fault(signal: i32, si_code: i32) -> bool {
    let may_be_fault = [Signal::TRAP, Signal::SYS].map(Signal::as_raw);
    si_code > 0 && may_be_fault.contains(&signal)
}

/// A terminal sends Ctrl-C to its whole foreground process group and so to the command as well, which decides on its
/// meaning, while this program continues. The kernel sends it for the terminal; a program sends it to this process alone.
/// A capture that the limit of file sizes ends is an error of its writing.
fn is_for_command(signal: i32, si_code: i32) -> bool {
    let is_of_keys = [Signal::INT, Signal::QUIT]
        .map(Signal::as_raw)
        .contains(&signal);
    signal != Signal::XFSZ.as_raw()
        && !(is_of_keys && si_code == SI_KERNEL)
        && !is_own_fault(signal, si_code)
}

/// The set of signals that this process ignores: bit 0 is signal 1.
fn ignored_signals() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    line.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok())
        .unwrap_or(0)
}

/// A stop flag for one piece of work of a command that signals end: they do so again once this is
/// dropped.
#[derive(Debug)]
pub struct StopForNow {
    flag: StopFlag,
    is_over: Arc<AtomicBool>,
}

impl StopForNow {
    /// Installs the handlers.
    pub fn install() -> std::io::Result<Self> {
        let flag = StopFlag(Arc::new(AtomicBool::new(false)));
        let is_over = Arc::new(AtomicBool::new(false));
        for signal in [SIGINT, SIGTERM, SIGHUP] {
            signal_hook::flag::register_conditional_default(signal, Arc::clone(&is_over))?;
            signal_hook::flag::register(signal, Arc::clone(&flag.0))?;
        }
        Ok(Self { flag, is_over })
    }

    /// The flag.
    pub fn flag(&self) -> &StopFlag {
        &self.flag
    }
}

impl Drop for StopForNow {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Relaxed);
    }
}

/// Lets a command that only prints end quietly when the reader of its output disconnects (`|
/// head`), like any other tool. Not one that captures: it has a file to complete.
pub fn end_with_reader_of_output(command: &Command) -> std::io::Result<()> {
    if matches!(
        command,
        Command::Record(_) | Command::Serve(_) | Command::Sampler
    ) {
        return Ok(());
    }
    let always = Arc::new(AtomicBool::new(true));
    signal_hook::flag::register_conditional_default(SIGPIPE, always)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use signal_hook::consts::FORBIDDEN;

    use super::*;

    #[test]
    fn what_a_terminal_sends_has_reached_the_command_and_what_a_program_sends_has_not() {
        const SI_USER: i32 = 0;
        for signal in ending() {
            let is_one_of = |some: [Signal; 2]| some.map(Signal::as_raw).contains(&signal);
            let is_of_keys = is_one_of([Signal::INT, Signal::QUIT]);
            let is_of_files = signal == Signal::XFSZ.as_raw();
            let may_be_fault = is_one_of([Signal::TRAP, Signal::SYS]);
            assert_eq!(is_for_command(signal, SI_USER), !is_of_files, "{signal}");
            assert_eq!(
                is_for_command(signal, SI_KERNEL),
                !is_of_keys && !is_of_files && !may_be_fault,
                "{signal}"
            );
            assert_eq!(is_own_fault(signal, SI_KERNEL), may_be_fault, "{signal}");
            assert!(!is_own_fault(signal, SI_USER), "{signal}");
        }
    }

    #[test]
    fn each_signal_that_can_be_passed_on_is() {
        // The default of these is none, or to stop.
        let without_end = [
            Signal::CHILD,
            Signal::CONT,
            Signal::STOP,
            Signal::TSTP,
            Signal::TTIN,
            Signal::TTOU,
            Signal::URG,
            Signal::WINCH,
        ];
        // Ignored from the start of any Rust program, and so for the command of this one.
        let ignored = [Signal::PIPE];
        let beyond = [
            Signal::KILL,
            Signal::SEGV,
            Signal::BUS,
            Signal::ILL,
            Signal::FPE,
        ];
        let left_out: Vec<i32> = without_end
            .iter()
            .chain(&ignored)
            .chain(&beyond)
            .map(|signal| signal.as_raw())
            .collect();
        let passed_on: Vec<i32> = ending().collect();
        for signal in (1..32).chain(libc::SIGRTMIN()..=libc::SIGRTMAX()) {
            assert_eq!(
                passed_on.contains(&signal),
                !left_out.contains(&signal),
                "{signal}"
            );
        }
        assert!(!passed_on.iter().any(|signal| FORBIDDEN.contains(signal)));
    }
}
