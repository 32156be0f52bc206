//! `diff`: captures of two versions, compared.

mod history;
mod rows;
mod texts;

use std::path::{Path, PathBuf};

use capture::own::OwnCode;
use capture::reader::Capture;
use compare::answer::Comparison;
use compare::{
    CaptureToCompare, Condition, Options, Side, Verdict, compare, markdown, method, track_line,
};

use super::{open_profile, own};
use crate::arguments::{Diff, OfPerf};
use crate::commands::print_json;
use crate::failure::{Exit, Failure};
use crate::terminal::{print_line, print_lines};

/// Rows of the table when nothing else is said.
const ROWS: usize = 30;

/// Runs `diff`.
pub fn run(arguments: &Diff) -> Result<(), Failure> {
    if let Some(folder) = &arguments.history {
        return history::run(arguments, folder);
    }
    let outcome = compared(arguments).and_then(|comparison| {
        print(arguments, &comparison)?;
        judge(arguments, &comparison)
    });
    outcome.map_err(|mut failure| {
        // A commit that could not be measured is not a bad one.
        if arguments.bisect && failure.exit != Exit::ConditionHolds {
            failure.exit = Exit::CannotTell;
        } else if arguments.bisect {
            failure.exit = Exit::Other;
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

fn print(arguments: &Diff, comparison: &Comparison) -> Result<(), Failure> {
    if arguments.json {
        let mut cut = comparison.clone();
        cut.functions.truncate(
            arguments
                .rows
                .filter(|rows| *rows > 0)
                .unwrap_or(usize::MAX),
        );
        return print_json(&cut);
    }
    if arguments.markdown {
        return Ok(print_lines(markdown(comparison).lines())?);
    }
    print_line(&format!(
        "{} against {}",
        comparison.new.name, comparison.base.name
    ))?;
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

/// Fails when a condition holds.
fn judge(arguments: &Diff, comparison: &Comparison) -> Result<(), Failure> {
    for condition in &arguments.fail_if {
        let names: Vec<_> = condition
            .met_by(comparison)
            .map(|row| row.function.as_str())
            .collect();
        if !names.is_empty() {
            return Err(holds(condition, &names));
        }
    }
    // Where nothing was seen often enough, that nothing is slower means nothing.
    let can_tell = comparison.has(Verdict::Noise)
        || comparison
            .functions
            .iter()
            .any(|row| row.headline().verdict.is_change());
    match arguments.bisect && !can_tell {
        true => Err(Failure::new(
            Exit::CannotTell,
            "the captures have too few samples to tell",
            "",
            "record longer ones",
        )),
        false => Ok(()),
    }
}

fn holds(condition: &Condition, names: &[&str]) -> Failure {
    const NAMED: usize = 3;
    let named = names[..names.len().min(NAMED)].join(", ");
    let more = match names.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let what = format!("{condition} holds for {named}{more}");
    Failure::new(Exit::ConditionHolds, what, "", "")
}
