//! `sampler`: the process that samples, for the one that started it.

use std::fs::File;
use std::os::fd::{AsFd, AsRawFd};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use sampling_process::frame::FrameError;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

use crate::failure::Failure;

/// Runs `sampler`.
pub fn run() -> Result<(), Failure> {
    // Ctrl-C goes to all that a terminal has started. The controlling process decides on its meaning for
    // this one, which ends when that process is gone.
    let unheeded = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM, SIGHUP] {
        signal_hook::flag::register(signal, Arc::clone(&unheeded))?;
    }
    // Neither has a buffer of its own: the expected data has not been read yet.
    let input = File::from(std::io::stdin().as_fd().try_clone_to_owned()?);
    let out = File::from(std::io::stdout().as_fd().try_clone_to_owned()?);
    let written = [out.as_raw_fd(), 2];
    match sampling_process::sampler::run(input, out, &written) {
        // The controlling process is gone.
        Ok(()) | Err(FrameError::Pipe(_)) => Ok(()),
        Err(error) => Err(std::io::Error::other(error).into()),
    }
}
