//! Where `top`, `blame` and `export` get their samples: a file, or a VM sampled now.

use std::path::Path;

use capture::reader::Capture;

use super::open_profile;
use super::record::sample_in_memory;
use crate::arguments::Sampling;
use crate::failure::Failure;

/// The process id in `source`, unless a file is called like that.
pub fn as_pid(source: &str) -> Option<u32> {
    source.parse().ok().filter(|_| !Path::new(source).exists())
}

/// Reads the file, or samples the VM.
pub fn load(source: &str, sampling: &Sampling) -> Result<Capture, Failure> {
    match as_pid(source) {
        Some(pid) => sample_in_memory(pid, sampling),
        None => open_profile::load(Path::new(source)),
    }
}
