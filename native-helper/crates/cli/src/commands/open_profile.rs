//! Opening a file: a capture, or a profile of another tool. The one place that does.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use capture::limits::{MAX_STACK_FRAMES, TRUNCATED};
use capture::reader::Capture;
use foreign_profiles::{ImportError, Imported, Limits, convert_event};
use outside_programs::perf_script::{ProgramError, perf_script};

use crate::arguments::OfPerf;
use crate::failure::{Exit, Failure};
use crate::terminal;

const GIVE_PROFILE: &str = "give a capture, a profile of another tool, or the process id of a VM";
const INSTALL_PERF: &str = "sudo apt install linux-perf, or run perf script where it was recorded and \
                            give its text";

/// What a file holds.
pub enum Profile {
    /// A capture or another pprof profile, as it is in the file.
    Pprof(Vec<u8>),
    /// A profile of another tool, converted.
    Foreign(Imported),
}

/// Opens a file and reads all of it as a capture. Says what was left out.
pub fn load(path: &Path, of_perf: &OfPerf) -> Result<Capture, Failure> {
    let capture = match read(path, of_perf)? {
        Profile::Pprof(bytes) => Capture::from_bytes(&bytes),
        Profile::Foreign(imported) => {
            tell_notes(path, &imported);
            Capture::from_bytes(&imported.message)
        }
    };
    let capture = capture.map_err(|error| about(path, error.into()))?;
    if capture.truncated() {
        terminal::warn(&format!(
            "{} ends in the middle; what is complete is shown",
            path.display()
        ));
    }
    tell_cut_stacks(&capture);
    Ok(capture)
}

/// Says of how many samples the middle of the stack is missing.
pub fn tell_cut_stacks(capture: &Capture) {
    let quality = capture.quality();
    let cut = quality.map_or(capture.stacks_cut(), |quality| quality.stacks_cut);
    if cut > 0 {
        terminal::warn(&format!(
            "{cut} samples have a stack that is too deep: of more than {MAX_STACK_FRAMES} frames \
             those in the middle are one {TRUNCATED}"
        ));
    }
}

/// Opens a file and converts it where it has to be. A file that is no recording of perf has no events.
pub fn read(path: &Path, of_perf: &OfPerf) -> Result<Profile, Failure> {
    let event = of_perf.event.as_deref();
    let limits = Limits::default();
    let mut bytes = Vec::new();
    File::open(path)
        .and_then(|file| {
            // One byte more tells "too much" from "exactly full".
            file.take(limits.max_bytes as u64 + 1)
                .read_to_end(&mut bytes)
        })
        .map_err(|error| {
            let what = format!("cannot open {}: {error}", path.display());
            Failure::new(Exit::Other, what, "", GIVE_PROFILE)
        })?;
    let converted = match convert_event(&bytes, &limits, event) {
        Err(ImportError::PerfData) => {
            bytes = text_of_perf(path, &limits)?;
            convert_event(&bytes, &limits, event)
        }
        converted => converted,
    };
    match converted {
        Ok(Some(imported)) => Ok(Profile::Foreign(imported)),
        Ok(None) => Ok(Profile::Pprof(bytes)),
        Err(error) => Err(not_read(path, &error)),
    }
}

/// Says what was left out of a converted profile.
pub fn tell_notes(path: &Path, imported: &Imported) {
    for note in &imported.notes {
        terminal::warn(&format!("{}: {note}", path.display()));
    }
}

fn text_of_perf(path: &Path, limits: &Limits) -> Result<Vec<u8>, Failure> {
    let found = perf_script(path, limits.max_bytes);
    found.map_err(|error| {
        let what = format!("cannot read {}, a perf.data file", path.display());
        match error {
            None => Failure::new(
                Exit::Other,
                what,
                "perf, which reads it, is not installed",
                INSTALL_PERF,
            ),
            Some(ProgramError::TooLarge { limit }) => {
                let why = format!("perf script prints more than {limit} bytes of it");
                Failure::new(
                    Exit::Other,
                    what,
                    why,
                    "give perf script -i FILE a part of it by --time",
                )
            }
            Some(error) => {
                let fix = format!("perf script -i {}", path.display());
                Failure::new(Exit::Other, what, error.to_string(), fix)
            }
        }
    })
}

fn not_read(path: &Path, error: &ImportError) -> Failure {
    let what = format!("cannot read {}: {error}", path.display());
    let shown = path.display();
    match error {
        ImportError::SeveralEvents { events } | ImportError::NoSuchEvent { events, .. } => {
            let name = events.first().map_or("NAME", |event| event.name.as_str());
            let why = "a capture counts one event";
            let fix = format!(
                "choose one: --event {name}, for a file of its own extrospect import {shown} --event {name} -o OUT.pb.gz"
            );
            Failure::new(Exit::Usage, what, why, fix)
        }
        _ => Failure::new(Exit::Other, what, "", GIVE_PROFILE),
    }
}

/// A failure that says which file it is about.
fn about(path: &Path, mut failure: Failure) -> Failure {
    let what = &mut failure.explanation.what;
    *what = format!("{}: {what}", path.display());
    failure
}
