//! Ctrl-C and SIGTERM as a flag: a capture ends cleanly and keeps its samples.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::process::Signal;
use signal_hook::consts::{SIGHUP, SIGINT, SIGPIPE, SIGTERM};

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

/// Signals to this program that are for the command that it runs. A terminal sends Ctrl-C to its whole foreground
/// process group and so to the command as well, which decides on its meaning, while this program continues.
#[derive(Debug)]
pub struct PassedOn {
    always: Vec<(Signal, Arc<AtomicBool>)>,
    /// Those of the keys of a terminal.
    of_keys: Vec<(Signal, Arc<AtomicBool>)>,
}

/// They would end this program and leave the command behind.
const ALWAYS: [Signal; 4] = [Signal::TERM, Signal::HUP, Signal::USR1, Signal::USR2];
const OF_KEYS: [Signal; 2] = [Signal::INT, Signal::QUIT];

impl PassedOn {
    /// Installs the handlers.
    pub fn install() -> std::io::Result<Self> {
        let ignored = ignored_signals();
        let flags = |signals: &[Signal]| {
            // One that is ignored (`nohup`, a job in the background) is so for the command, too.
            let heard = signals
                .iter()
                .filter(|signal| ignored & (1 << (signal.as_raw() - 1)) == 0);
            heard
                .map(|signal| {
                    let flag = Arc::default();
                    signal_hook::flag::register(signal.as_raw(), Arc::clone(&flag))?;
                    Ok((*signal, flag))
                })
                .collect::<std::io::Result<Vec<_>>>()
        };
        Ok(Self {
            always: flags(&ALWAYS)?,
            of_keys: flags(&OF_KEYS)?,
        })
    }

    /// Those that have come since the last call. The signal of a key is one of them only where no terminal can have
    /// sent it: there it came from a program, to this process alone.
    pub fn take(&self) -> impl Iterator<Item = Signal> {
        let of_keys = self.of_keys.iter();
        let came = |flag: &AtomicBool| flag.swap(false, Ordering::Relaxed);
        let to_this_alone =
            of_keys.filter(move |(_, flag)| came(flag) && !is_in_foreground_of_terminal());
        let always = self.always.iter().filter(move |(_, flag)| came(flag));
        always.chain(to_this_alone).map(|(signal, _)| *signal)
    }

    /// Whether any has come since they were last taken, by a key, too.
    pub fn have_come(&self) -> bool {
        let mut all = self.always.iter().chain(&self.of_keys);
        all.any(|(_, flag)| flag.load(Ordering::Relaxed))
    }
}

/// True for a process whose terminal sends it the signals of its keys.
fn is_in_foreground_of_terminal() -> bool {
    let terminal = std::fs::File::open("/dev/tty");
    terminal.is_ok_and(|terminal| {
        rustix::termios::tcgetpgrp(terminal).is_ok_and(|group| group == rustix::process::getpgrp())
    })
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
