//! Where `top`, `blame` and `export` get their samples: a file, or a VM sampled now.

use std::fs::File;
use std::path::Path;

use capture::reader::Capture;

use super::record::sample_in_memory;
use crate::arguments::Sampling;
use crate::failure::{Exit, Failure};
use crate::terminal;

/// The process id in `source`, unless a file is called like that.
pub fn as_pid(source: &str) -> Option<u32> {
    source.parse().ok().filter(|_| !Path::new(source).exists())
}

/// Reads the file, or samples the VM.
pub fn load(source: &str, sampling: &Sampling) -> Result<Capture, Failure> {
    match as_pid(source) {
        Some(pid) => sample_in_memory(pid, sampling),
        None => read_file(Path::new(source)),
    }
}

fn read_file(path: &Path) -> Result<Capture, Failure> {
    let file = File::open(path).map_err(|error| {
        let what = format!("cannot open {}: {error}", path.display());
        Failure::new(
            Exit::Other,
            what,
            "",
            "give a capture file, or the process id of a VM",
        )
    })?;
    let capture = Capture::read(file).map_err(|error| {
        let mut failure = Failure::from(error);
        let what = &mut failure.explanation.what;
        *what = format!("{}: {what}", path.display());
        failure
    })?;
    if capture.truncated() {
        terminal::warn(&format!(
            "{} ends in the middle; what is complete is shown",
            path.display()
        ));
    }
    Ok(capture)
}
