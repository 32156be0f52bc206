//! Opening a file: a capture, or a profile of another tool. The one place that does.

use std::fs::{File, FileType, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
use std::path::Path;

use capture::counted::counted;
use capture::limits::{MAX_STACK_FRAMES, SHORT_STACK_FRAMES};
use capture::marks::Mark;
use capture::reader::Capture;
use capture::visible::visible;
use foreign_profiles::{Format, ImportError, Imported, Limits, convert_event};
use outside_programs::perf_script::{ProgramError, perf_script};
use rustix::fs::OFlags;

use crate::arguments::{OfPerf, WhichSamples};
use crate::failure::{Exit, Failure};
use crate::terminal;

const GIVE_PROFILE: &str = "give a capture or a profile of another tool";
const GIVE_WHOLE_RECORDING: &str = "its end may be missing: copy it again, or run perf script where it was \
                                    recorded and give its text";
const INSTALL_PERF: &str = "sudo apt install linux-perf, or run perf script on the host that recorded it and \
                            give its text";

/// What a file holds.
pub enum Profile {
    /// A capture or another pprof profile, as it is in the file.
    Pprof(Vec<u8>),
    /// A profile of another tool, converted.
    Foreign(Imported),
}

/// Opens a file and reads all of it as a capture that shows the chosen samples. Reports the parts that were left out.
pub fn load(path: &Path, which: &WhichSamples) -> Result<Capture, Failure> {
    let capture = match read(path, &which.of_perf)? {
        Profile::Pprof(bytes) => Capture::from_bytes(&bytes),
        Profile::Foreign(imported) => {
            print_notes(path, &imported);
            Capture::from_bytes(&imported.message)
        }
    };
    let mut capture = capture.map_err(|error| about(path, error.into()))?;
    choose_type(path, &mut capture, which)?;
    warn_of_cut_file(path, &capture);
    warn_of_cut_stacks(&capture);
    Ok(capture)
}

/// Lets a capture show the type of samples that the user has chosen. One that it lacks is a usage error.
pub fn choose_type(
    path: &Path,
    capture: &mut Capture,
    which: &WhichSamples,
) -> Result<(), Failure> {
    let Some(chosen) = &which.sample_type else {
        return Ok(());
    };
    capture.show(chosen).map_err(|missing| {
        let has: Vec<_> = missing.has.iter().map(|name| visible(name)).collect();
        let what = format!(
            "{} has no samples of type {}",
            path.display(),
            visible(chosen)
        );
        let why = format!("it has {}", has.join(", "));
        let fix = "choose one that it has: --type NAME, or leave --type out";
        Failure::new(Exit::Usage, what, why, fix)
    })
}

/// Reports that the file has no end.
pub fn warn_of_cut_file(path: &Path, capture: &Capture) {
    if capture.truncated() {
        terminal::warn(&format!(
            "{} ends in the middle, or something else follows; the complete part is shown",
            path.display()
        ));
    }
}

/// Reports the number of samples whose stack lacks its middle.
pub fn warn_of_cut_stacks(capture: &Capture) {
    let quality = capture.quality();
    let cut = quality
        .as_ref()
        .map_or(capture.stacks_cut(), |quality| quality.stacks_cut);
    if cut > 0 {
        terminal::warn(&format!(
            "stacks that are too deep, with one {} for those in the middle of more than \
             {MAX_STACK_FRAMES} frames: those of {}{}",
            Mark::TooDeep.name(),
            counted(cut, "sample"),
            shortened_figure(quality.map_or(0, |quality| quality.stacks_shortened))
        ));
    }
}

/// What limits the figures of a capture, beside an output that has no place for it.
pub fn print_headings(capture: &Capture) {
    capture
        .headings()
        .iter()
        .for_each(|heading| terminal::warn(heading));
}

/// Empty unless so many deep stacks waited to be written that further ones were cut shorter.
fn shortened_figure(samples: u64) -> String {
    match samples {
        0 => String::new(),
        _ => format!(
            ", of which {samples} are {} to {SHORT_STACK_FRAMES} frames",
            Mark::Shortened.name()
        ),
    }
}

/// Opens a file and converts it if necessary. Choosing an event of a file that is no perf recording is a usage error.
pub fn read(path: &Path, of_perf: &OfPerf) -> Result<Profile, Failure> {
    let event = of_perf.event.as_deref();
    let limits = Limits::default();
    let mut bytes = Vec::new();
    // One byte more distinguishes "too much" from "exactly full".
    open(path)?
        .take(limits.max_bytes as u64 + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| not_opened(path, &error))?;
    let converted = match convert_event(&bytes, &limits, event) {
        Err(ImportError::PerfData) => {
            bytes = text_of_perf(path, &limits)?;
            if bytes.iter().all(u8::is_ascii_whitespace) {
                let why = "perf script prints no sample of it";
                return Err(Failure::new(
                    Exit::Other,
                    no_recording(path),
                    why,
                    GIVE_WHOLE_RECORDING,
                ));
            }
            convert_event(&bytes, &limits, event)
        }
        converted => converted,
    };
    match converted {
        Ok(imported) if event.is_some() && !is_of_perf(imported.as_ref()) => {
            let what = format!("{} is no recording of perf", path.display());
            let why = "--event chooses one of the events of a recording";
            Err(Failure::new(Exit::Usage, what, why, "leave --event out"))
        }
        Ok(Some(imported)) => Ok(Profile::Foreign(imported)),
        Ok(None) => Ok(Profile::Pprof(bytes)),
        Err(error) => Err(not_read(path, &error)),
    }
}

fn is_of_perf(imported: Option<&Imported>) -> bool {
    imported.is_some_and(|imported| imported.format == Format::PerfScript)
}

/// Opens a regular file. Opening a pipe waits for a writer, and reading one waits for all of it, unless
/// nothing has to be waited for.
fn open(path: &Path) -> Result<File, Failure> {
    let without_waiting = OFlags::NONBLOCK.bits().cast_signed();
    let opened = OpenOptions::new()
        .read(true)
        .custom_flags(without_waiting)
        .open(path);
    let file = opened.map_err(|error| not_opened(path, &error))?;
    let found = file.metadata().map_err(|error| not_opened(path, &error))?;
    match no_file(found.file_type()) {
        Some(kind) => Err(is_no_file(path, kind)),
        None => Ok(file),
    }
}

/// The kind of a file that is no regular file.
fn no_file(found: FileType) -> Option<&'static str> {
    let kinds = [
        (found.is_dir(), "a folder"),
        (found.is_fifo(), "a pipe"),
        (found.is_socket(), "a socket"),
        (
            found.is_char_device() || found.is_block_device(),
            "a device",
        ),
    ];
    let kind = kinds.into_iter().find(|(is_of_kind, _)| *is_of_kind);
    kind.map(|(_, name)| name)
}

fn is_no_file(path: &Path, kind: &str) -> Failure {
    let what = format!("{} is {kind}", path.display());
    Failure::new(Exit::Other, what, "a regular file is needed", GIVE_PROFILE)
}

/// Reports the parts that were left out of a converted profile.
pub fn print_notes(path: &Path, imported: &Imported) {
    for note in &imported.notes {
        terminal::warn(&format!("{}: {note}", path.display()));
    }
}

fn not_opened(path: &Path, error: &io::Error) -> Failure {
    // A file that cannot be opened at all, such as a socket.
    let found = path.metadata().ok();
    if let Some(kind) = found.and_then(|found| no_file(found.file_type())) {
        return is_no_file(path, kind);
    }
    let shown = path.display();
    let what = match error.kind() {
        io::ErrorKind::NotFound => format!("there is no file {shown}"),
        _ => format!("cannot open {shown}: {error}"),
    };
    let fix = diagnose::shortage::of_error(error);
    let fix = fix.map_or_else(|| GIVE_PROFILE.to_owned(), |fix| fix.english);
    Failure::new(Exit::Other, what, "", fix)
}

fn no_recording(path: &Path) -> String {
    format!("cannot read {}, a perf.data file", path.display())
}

fn text_of_perf(path: &Path, limits: &Limits) -> Result<Vec<u8>, Failure> {
    let found = perf_script(path, limits.max_bytes);
    found.map_err(|error| {
        let what = no_recording(path);
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
            Some(error) => Failure::new(Exit::Other, what, error.to_string(), GIVE_WHOLE_RECORDING),
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

/// A failure that names its file.
fn about(path: &Path, mut failure: Failure) -> Failure {
    let what = &mut failure.explanation.what;
    *what = format!("{}: {what}", path.display());
    failure
}
