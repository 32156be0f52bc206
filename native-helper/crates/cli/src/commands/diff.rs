//! `diff`: captures of two versions, compared.

mod gates;
mod output;
mod rows;
mod texts;

use std::path::{Path, PathBuf};

use capture::own::OwnCode;
use capture::reader::Capture;
use compare::{CaptureToCompare, Options, Side, compare};

use super::{open_profile, own};
use crate::arguments::{Diff, DiffFormat, OfPerf};
use crate::failure::Failure;

/// Runs `diff`.
pub fn run(arguments: &Diff) -> Result<(), Failure> {
    output::check(arguments)?;
    compare_and_judge(arguments).map_err(|mut failure| {
        if arguments.bisect {
            failure.exit = gates::exit_of_bisection(failure.exit);
        }
        failure
    })
}

/// Captures of one side, read.
struct Read {
    name: String,
    files: Vec<(String, Capture)>,
    own: Vec<Option<OwnCode>>,
}

fn compare_and_judge(arguments: &Diff) -> Result<(), Failure> {
    let mut loaded = load_all(
        &[arguments.base.as_slice(), &arguments.new].concat(),
        &arguments.of_perf,
    );
    let newer = loaded.split_off(arguments.base.len());
    let base = read(&arguments.base, loaded, arguments.own.as_deref())?;
    let new = read(&arguments.new, newer, arguments.own.as_deref())?;
    let (base, new) = (base.side(), new.side());
    let folder = arguments.source_dir.as_deref().or(arguments.own.as_deref());
    let options = Options {
        measure: arguments.measure.map(Into::into),
        texts: texts::of(&base, &new, folder),
        anyway: arguments.anyway,
        paired: arguments.paired,
        each_capture: arguments.format() == DiffFormat::Json,
    };
    let comparison = compare(&base, &new, &options)?;
    let gates = gates::judge(&arguments.fail_if, &comparison)?;
    output::print(arguments, (&base, &new), &comparison, &gates)?;
    match arguments.bisect {
        true => gates::bisect(&gates),
        false => gates::fail(&gates),
    }
}

/// Reads files, as many at once as there are processors: most of a comparison's time is reading.
fn load_all(paths: &[PathBuf], of_perf: &OfPerf) -> Vec<Result<Capture, Failure>> {
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    let each = paths.len().div_ceil(workers).max(1);
    std::thread::scope(|scope| {
        let load = |part: &[PathBuf]| {
            let read = part.iter().map(|path| open_profile::load(path, of_perf));
            read.collect()
        };
        let reading: Vec<_> = paths
            .chunks(each)
            .map(|part| scope.spawn(move || -> Vec<_> { load(part) }))
            .collect();
        let read = reading.into_iter().flat_map(|thread| {
            thread
                .join()
                .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        });
        read.collect()
    })
}

fn read(
    paths: &[PathBuf],
    loaded: Vec<Result<Capture, Failure>>,
    folder: Option<&Path>,
) -> Result<Read, Failure> {
    let mut files = Vec::new();
    for (path, capture) in paths.iter().zip(loaded) {
        files.push((name_of(path), capture?));
    }
    let own = match folder {
        None => files.iter().map(|_| None).collect(),
        Some(folder) => {
            let mut sources = own::open(folder)?;
            let each = files
                .iter()
                .map(|(_, capture)| own::own_code(capture, &mut sources, folder));
            each.map(|own| own.map(Some)).collect::<Result<_, _>>()?
        }
    };
    let name = match files.as_slice() {
        [(name, _)] => name.clone(),
        [(first, _), rest @ ..] => format!("{first} and {} more", rest.len()),
        [] => String::new(),
    };
    Ok(Read { name, files, own })
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
