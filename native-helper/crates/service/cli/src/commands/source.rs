//! Where `top`, `blame` and `export` get their samples: a file, or a VM sampled now.

use std::path::Path;

use capture::reader::Capture;
use capture::sample_types::{CPU, FAULTS, OFF_CPU};
use capture::visible::visible;
use profiling_service::sampling_loop::Ended;
use recorder::SourceSet;

use super::open_profile;
use super::record::sample_in_memory;
use crate::arguments::{Sampling, WhichSamples};
use crate::failure::{Exit, Failure};

/// The process id in `source`, unless a file is called like that.
pub fn as_pid(source: &str) -> Option<u32> {
    source.parse().ok().filter(|_| !Path::new(source).exists())
}

/// Samples, and whether they are all that was wanted.
pub struct Loaded {
    pub capture: Capture,
    /// The VM that ended before its time was over.
    pub ended_early: Option<u32>,
}

impl Loaded {
    /// To be returned once the samples are shown: an exited target is an error.
    pub fn whole(&self) -> Result<(), Failure> {
        match self.ended_early {
            None => Ok(()),
            Some(pid) => Err(Failure::new(
                Exit::TargetGone,
                diagnose::refusal::what_became_of(pid).english,
                "the output has the samples until then",
                "`extrospect list` lists the VMs here",
            )),
        }
    }
}

/// Reads the file, or samples the VM.
pub fn load(source: &str, which: &WhichSamples, sampling: &Sampling) -> Result<Loaded, Failure> {
    match as_pid(source) {
        Some(pid) => {
            let sources = sources_of_vm(which)?;
            let (capture, ended) = sample_in_memory(pid, sampling, sources)?;
            Ok(Loaded {
                capture,
                ended_early: (ended == Ended::TargetGone).then_some(pid),
            })
        }
        None if is_missing(source) => Err(Failure::new(
            Exit::Other,
            format!("there is no file {source}"),
            "",
            "give a capture, a profile of another tool, or the process id of a VM",
        )),
        None => Ok(Loaded {
            capture: open_profile::load(Path::new(source), which)?,
            ended_early: None,
        }),
    }
}

/// The sources of samples of a VM. Refuses a choice among the samples of files.
pub fn sources_of_vm(which: &WhichSamples) -> Result<SourceSet, Failure> {
    let what = match which {
        WhichSamples { of_perf, .. } if of_perf.event.is_some() => {
            "--event is for recordings of perf".to_owned()
        }
        WhichSamples {
            sample_type: Some(chosen),
            ..
        } if chosen == OFF_CPU.id => return Ok(SourceSet::OFF_CPU),
        WhichSamples {
            sample_type: Some(chosen),
            ..
        } if chosen == FAULTS.id => return Ok(SourceSet::FAULTS),
        WhichSamples {
            sample_type: Some(chosen),
            ..
        } if chosen != CPU.id => format!("--type {} is for captures", visible(chosen)),
        _ => return Ok(SourceSet::CPU),
    };
    let why = "a VM is sampled by its time on a processor, without one (off-cpu), or its page faults (faults)";
    Err(Failure::new(Exit::Usage, what, why, "leave it out"))
}

/// One that may not be looked at is not missing.
fn is_missing(path: &str) -> bool {
    std::fs::metadata(path).is_err_and(|error| error.kind() == std::io::ErrorKind::NotFound)
}
