//! `diff`: captures of two versions, compared.

mod gates;
mod history;
mod output;
mod own_code;
mod rows;
mod texts;

use std::path::{Path, PathBuf};

use capture::own::OwnCode;
use capture::reader::Capture;
use compare::{CaptureToCompare, Gate, Options, Side, compare, name_of_captures};

use self::own_code::OwnLook;
use super::{open_profile, own};
use crate::arguments::{Diff, DiffFormat, WhichSamples};
use crate::failure::{Exit, Failure};

/// What to name where a folder of sources is none.
const GIVE_SOURCES: &str = "set --source-dir to the folder of the sources, or omit it";

/// Runs `diff`.
pub fn run(arguments: &Diff) -> Result<(), Failure> {
    let run = || {
        output::check(arguments)?;
        check(arguments)?;
        match &arguments.history {
            Some(folder) => history::run(arguments, folder),
            None => compare_and_judge(arguments),
        }
    };
    run().map_err(|mut failure: Failure| {
        if arguments.bisect {
            failure.exit = gates::exit_of_bisection(failure.exit);
        }
        failure
    })
}

/// Refuses what makes no sense together, before anything is read.
fn check(arguments: &Diff) -> Result<(), Failure> {
    // To clap a side stands against --history, so what requires the one is not missed beside the other.
    if arguments.history.is_none() && !arguments.function.is_empty() {
        return Err(Failure::new(
            Exit::Usage,
            "--function is for --history",
            "a comparison of two sides has all functions",
            "leave it out, or give a folder of captures: --history FOLDER",
        ));
    }
    match &arguments.source_dir {
        Some(folder) => own::check_there(folder, GIVE_SOURCES),
        None => Ok(()),
    }
}

/// Captures of one side, read.
struct Read {
    name: String,
    files: Vec<(String, Capture)>,
    own: Vec<Option<OwnCode>>,
}

fn compare_and_judge(arguments: &Diff) -> Result<(), Failure> {
    let folder = arguments.source_dir.as_deref().or(arguments.own.as_deref());
    let mut own = arguments.own.as_deref().map(OwnLook::below).transpose()?;
    let mut loaded = load_all(
        &[arguments.base.as_slice(), &arguments.new].concat(),
        &arguments.which,
    );
    let newer = loaded.split_off(arguments.base.len());
    let base = read(&arguments.base, loaded, own.as_mut())?;
    let new = read(&arguments.new, newer, own.as_mut())?;
    let (base, new) = (base.side(), new.side());
    let found = texts::of(&base, &new, folder);
    let options = Options {
        measure: arguments.measure.map(Into::into),
        texts: found.texts,
        anyway: arguments.anyway,
        paired: arguments.paired,
        each_capture: arguments.format() == DiffFormat::Json,
    };
    let mut comparison = compare(&base, &new, &options)?;
    comparison.notes.extend(found.notes);
    comparison.notes.extend(own.iter().flat_map(OwnLook::notes));
    let mut gates = gates::judge(&arguments.fail_if, &comparison, options.measure)?;
    if arguments.bisect {
        gates = gates.into_iter().map(Gate::by_intervals).collect();
    }
    output::print(arguments, (&base, &new), &comparison, &gates)?;
    match arguments.bisect {
        true => gates::bisect(&gates),
        false => gates::fail(&gates, arguments),
    }
}

/// Reads files, as many at once as there are processors: most of a comparison's time is reading.
fn load_all(paths: &[PathBuf], which: &WhichSamples) -> Vec<Result<Capture, Failure>> {
    compare::at_once(paths, |path| open_profile::load(path, which))
}

fn read(
    paths: &[PathBuf],
    loaded: Vec<Result<Capture, Failure>>,
    mut look: Option<&mut OwnLook>,
) -> Result<Read, Failure> {
    let mut files = Vec::new();
    let mut own = Vec::new();
    for (path, capture) in paths.iter().zip(loaded) {
        let (name, capture) = (name_of(path), capture?);
        let look = look.as_mut();
        own.push(
            look.map(|look| look.own_code(&name, &capture))
                .transpose()?,
        );
        files.push((name, capture));
    }
    let names: Vec<&str> = files.iter().map(|(name, _)| name.as_str()).collect();
    Ok(Read {
        name: name_of_captures(&names),
        files,
        own,
    })
}

impl Read {
    fn side(&self) -> Side<'_> {
        let captures = self.files.iter().zip(&self.own);
        let captures = captures.map(|((name, capture), own)| CaptureToCompare {
            name: name.clone(),
            capture,
            own: own.as_ref(),
        });
        Side {
            name: self.name.clone(),
            captures: captures.collect(),
        }
    }
}

fn name_of(path: &Path) -> String {
    let name = path.file_name().unwrap_or(path.as_os_str());
    name.to_string_lossy().into_owned()
}
