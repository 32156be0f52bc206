//! `diff`: captures of two versions, compared.

mod rows;
mod texts;

use std::io::Write;
use std::path::{Path, PathBuf};

use capture::own::OwnCode;
use capture::reader::Capture;
use compare::answer::{Comparison, FunctionChange};
use compare::{
    CaptureToCompare, Condition, Options, Side, Verdict, compare, difference_page, markdown,
    method, track_line,
};

use super::{open_profile, own};
use crate::arguments::{Diff, DiffFormat, OfPerf};
use crate::commands::print_json;
use crate::failure::{Exit, Failure};
use crate::terminal::{print_line, print_lines};

/// Rows of the table when nothing else is said.
const ROWS: usize = 30;

/// Runs `diff`.
pub fn run(arguments: &Diff) -> Result<(), Failure> {
    check(arguments)?;
    let outcome = compared(arguments);
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

/// Refuses what contradicts itself.
fn check(arguments: &Diff) -> Result<(), Failure> {
    match arguments.link.is_some() && arguments.format() != DiffFormat::Markdown {
        true => Err(Failure::new(
            Exit::Usage,
            "--link is for --format markdown",
            "the other formats have no place for a link",
            "leave it out",
        )),
        false => Ok(()),
    }
}

/// Captures of one side, read.
struct Read {
    name: String,
    files: Vec<(String, Capture)>,
    own: Vec<Option<OwnCode>>,
}

/// Compares, prints and judges.
fn compared(arguments: &Diff) -> Result<(), Failure> {
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
    let comparison = compare(&base, &new, &options)?;
    print(arguments, (&base, &new), &comparison)?;
    judge(arguments, &comparison)
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

fn print(
    arguments: &Diff,
    sides: (&Side<'_>, &Side<'_>),
    comparison: &Comparison,
) -> Result<(), Failure> {
    match arguments.format() {
        DiffFormat::Json => print_rows_as_json(arguments, comparison),
        DiffFormat::Markdown => {
            let text = markdown(comparison, arguments.link.as_ref());
            Ok(print_lines(text.lines())?)
        }
        DiffFormat::Html => {
            let (shown, _) = shown_rows(arguments, comparison);
            let page = difference_page(sides, comparison, &shown)?;
            let mut out = std::io::stdout().lock();
            out.write_all(page.as_bytes())?;
            Ok(out.flush()?)
        }
        DiffFormat::Text => print_text(arguments, comparison),
    }
}

fn print_rows_as_json(arguments: &Diff, comparison: &Comparison) -> Result<(), Failure> {
    let mut cut = comparison.clone();
    let most = arguments.rows.filter(|rows| *rows > 0);
    cut.functions.truncate(most.unwrap_or(usize::MAX));
    print_json(&cut)
}

/// The rows of the table, and how many more there are.
fn shown_rows<'c>(
    arguments: &Diff,
    comparison: &'c Comparison,
) -> (Vec<&'c FunctionChange>, usize) {
    let rows = comparison.functions.iter();
    let mut shown: Vec<_> = rows
        .filter(|row| arguments.all || row.headline().verdict.is_change())
        .collect();
    let most = match arguments.rows.unwrap_or(ROWS) {
        0 => usize::MAX,
        most => most,
    };
    let more = shown.len().saturating_sub(most);
    shown.truncate(most);
    (shown, more)
}

fn print_text(arguments: &Diff, comparison: &Comparison) -> Result<(), Failure> {
    print_line(&format!(
        "{} against {}",
        comparison.new.name, comparison.base.name
    ))?;
    let (shown, more) = shown_rows(arguments, comparison);
    match shown.is_empty() {
        true => print_line("no change that the samples can show")?,
        false => print_lines(rows::lines(comparison, shown.into_iter()))?,
    }
    if more > 0 {
        print_line(&format!("{more} more: -n 0"))?;
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
