//! `diff`: captures of two versions, compared.

mod gates;
mod history;
mod rows;
mod texts;

use std::path::{Path, PathBuf};

use capture::own::OwnCode;
use capture::reader::Capture;
use compare::answer::Comparison;
use compare::{
    CaptureToCompare, Comment, Gate, Options, Side, compare, markdown, method, track_line,
    whole_line,
};
use serde::Serialize;

use super::{open_profile, own};
use crate::arguments::{Diff, OfPerf};
use crate::commands::print_json;
use crate::failure::Failure;
use crate::terminal::{print_line, print_lines};

/// Rows of the table when nothing else is said.
const ROWS: usize = 30;

/// Runs `diff`.
pub fn run(arguments: &Diff) -> Result<(), Failure> {
    if let Some(folder) = &arguments.history {
        return history::run(arguments, folder);
    }
    let outcome = compared(arguments).and_then(|comparison| {
        let gates = gates::judge(&arguments.fail_if, &comparison)?;
        print(arguments, &comparison, &gates)?;
        match arguments.bisect {
            true => gates::bisect(&gates),
            false => gates::fail(&gates),
        }
    });
    outcome.map_err(|mut failure| {
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

fn compared(arguments: &Diff) -> Result<Comparison, Failure> {
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
        each_capture: arguments.json,
    };
    Ok(compare(&base, &new, &options)?)
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

/// A comparison with what was asked of it.
#[derive(Serialize)]
struct Printed<'a> {
    #[serde(flatten)]
    comparison: &'a Comparison,
    #[serde(skip_serializing_if = "<[Gate]>::is_empty")]
    gates: &'a [Gate],
}

fn print(arguments: &Diff, comparison: &Comparison, gates: &[Gate]) -> Result<(), Failure> {
    if arguments.json {
        let mut cut = comparison.clone();
        cut.functions.truncate(
            arguments
                .rows
                .filter(|rows| *rows > 0)
                .unwrap_or(usize::MAX),
        );
        return print_json(&Printed {
            comparison: &cut,
            gates,
        });
    }
    if arguments.markdown {
        let comment = Comment {
            gates,
            rows: arguments
                .rows
                .map(|rows| if rows == 0 { usize::MAX } else { rows }),
        };
        return Ok(print_lines(markdown(comparison, &comment).lines())?);
    }
    print_line(&format!(
        "{} against {}",
        comparison.new.name, comparison.base.name
    ))?;
    for gate in gates {
        print_line(&gate.text())?;
    }
    if let Some(whole) = &comparison.whole {
        print_line(&whole_line(whole))?;
    }
    let shown = comparison
        .functions
        .iter()
        .filter(|row| arguments.all || row.headline().verdict.is_change());
    let most = match arguments.rows.unwrap_or(ROWS) {
        0 => usize::MAX,
        most => most,
    };
    let (shown, rest): (Vec<_>, Vec<_>) = shown
        .enumerate()
        .partition(|(position, _)| *position < most);
    match shown.is_empty() {
        true => print_line("no change that the samples can show")?,
        false => print_lines(rows::lines(
            comparison,
            shown.into_iter().map(|(_, row)| row),
        ))?,
    }
    if !rest.is_empty() {
        print_line(&format!("{} more: -n 0", rest.len()))?;
    }
    for note in &comparison.notes {
        print_line(&format!("note: {}", note.text))?;
    }
    for change in &comparison.tracks {
        print_line(&track_line(change))?;
    }
    Ok(print_line(&format!("method: {}", method(comparison)))?)
}
