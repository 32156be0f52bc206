//! `diff --history`: all captures in a folder, by commit.

mod chart;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use capture::sample_types::CPU;
use commit::{GitError, Repository};
use compare::history_answer::{History, HistoryCommit, Series, Skipped};
use compare::{
    CommitOrder, CountedCapture, HistoryGate, HistoryQuestion, Measure, history, history_markdown,
    history_page, skipped_unreadable,
};
use shared_sort::{Inserted, SharedSort};

use super::gates::Judged;
use super::{gates, name_of};
use crate::arguments::{Diff, DiffFormat, WhichSamples};
use crate::commands::{open_profile, print_json};
use crate::failure::{Exit, Failure};
use crate::table::{Align, render};
use crate::terminal::{print_line, print_lines, warn};

/// What a capture's name ends with.
const ENDING: &str = ".pb.gz";
/// Default number of newest commits in the table.
const ROWS: usize = 30;

/// Runs `diff --history`.
pub fn run(arguments: &Diff, folder: &Path) -> Result<(), Failure> {
    check(arguments)?;
    let conditions = gates::of_history(&arguments.fail_if)?;
    let files = captures_in(folder)?;
    let named = conditions
        .iter()
        .filter_map(|condition| condition.function());
    let functions = arguments.function.iter().cloned();
    let chosen: Option<Measure> = arguments.measure.map(Into::into);
    let question = HistoryQuestion::new(functions.chain(named.map(str::to_owned)), chosen);
    let (counted, unreadable) = count_all(&files, &question, &arguments.which);
    warn_of_skipped(&unreadable);
    let order = Order::of(&counted, arguments.source_dir.as_deref());
    let names: Vec<String> = unreadable.iter().map(|it| it.capture.clone()).collect();
    let mut made = history(&question, counted, &names, &order.commits)?;
    warn_of_skipped(&made.skipped);
    order.warn_of_unknown(&made.commits);
    made.skipped.splice(..0, unreadable);
    check_functions(&made)?;
    let gates = gates::judge_newest(&conditions, &made, chosen)?;
    print_history(arguments, &made, &gates)?;
    gates::fail(&gates, arguments)
}

fn print_history(
    arguments: &Diff,
    history: &History,
    gates: &[HistoryGate],
) -> Result<(), Failure> {
    match arguments.format() {
        DiffFormat::Json => print_json(&Judged {
            answer: history,
            gates,
        }),
        DiffFormat::Markdown => Ok(print_lines(history_markdown(history, gates).lines())?),
        DiffFormat::Html => Ok(print_lines(history_page(history, gates).lines())?),
        DiffFormat::Text => {
            print(arguments, history)?;
            Ok(print_lines(gates.iter().map(HistoryGate::text))?)
        }
    }
}

fn check(arguments: &Diff) -> Result<(), Failure> {
    let chosen = arguments.which.sample_type.as_deref();
    if chosen.is_some_and(|chosen| chosen != CPU.id) {
        return Err(Failure::new(
            Exit::Usage,
            "--type is for captures of two sides",
            "a history is of processor time",
            "leave it out",
        ));
    }
    match arguments.rows.is_some() && arguments.format() != DiffFormat::Text {
        true => Err(Failure::new(
            Exit::Usage,
            "-n is for the table of a history",
            "its JSON and its page have all commits, and its Markdown the newest twenty",
            "leave it out, or choose --format text",
        )),
        false => Ok(()),
    }
}

fn captures_in(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let shown = folder.display();
    let entries = fs::read_dir(folder).map_err(|error| {
        let what = match error.kind() {
            std::io::ErrorKind::NotFound => format!("there is no folder {shown}"),
            std::io::ErrorKind::NotADirectory => format!("{shown} is no folder"),
            _ => format!("cannot read {shown}: {error}"),
        };
        Failure::new(Exit::Other, what, "", "give a folder with captures")
    })?;
    // Anything but a file is reported as unreadable.
    let is_capture = |path: &PathBuf| name_of(path).ends_with(ENDING);
    let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
    let mut files: Vec<PathBuf> = paths.filter(is_capture).collect();
    files.shared_sort();
    match files.is_empty() {
        true => Err(Failure::new(
            Exit::Other,
            format!("there is no capture (*{ENDING}) in {shown}"),
            "folders below it are not read",
            "record some: extrospect record PID -o FOLDER/NAME.pb.gz",
        )),
        false => Ok(files),
    }
}

/// Reads and counts, as many at once as there are processors, so that no more captures than that are
/// in memory.
fn count_all(
    files: &[PathBuf],
    question: &HistoryQuestion,
    which: &WhichSamples,
) -> (Vec<CountedCapture>, Vec<Skipped>) {
    let next = AtomicUsize::new(0);
    let done = Mutex::new((Vec::with_capacity(files.len()), Vec::new()));
    let work = || {
        while let Some(path) = files.get(next.fetch_add(1, Ordering::Relaxed)) {
            let name = name_of(path);
            let counted =
                open_profile::load(path, which).map(|capture| question.count(&name, &capture));
            let mut done = done
                .lock()
                .unwrap_or_else(std::sync::PoisonError::into_inner);
            match counted {
                Ok(counted) => done.0.push(counted),
                Err(failure) => done
                    .1
                    .push(skipped_unreadable(&name, &failure.explanation.to_string())),
            }
        }
    };
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 1..workers {
            // Where none can be started, this one does it all.
            let _ = std::thread::Builder::new().spawn_scoped(scope, work);
        }
        work();
    });
    let (mut counted, mut skipped): (Vec<CountedCapture>, Vec<Skipped>) = done
        .into_inner()
        .unwrap_or_else(std::sync::PoisonError::into_inner);
    counted.shared_sort_by(|a, b| a.name.cmp(&b.name));
    skipped.shared_sort_by(|a, b| a.capture.cmp(&b.capture));
    (counted, skipped)
}

fn warn_of_skipped(skipped: &[Skipped]) {
    for Skipped { capture, text, .. } in skipped {
        warn(&format!("{capture} is left out: {text}"));
    }
}

/// The commits as they build on each other, as far as the repository here has them.
struct Order {
    commits: CommitOrder,
    /// Why git did not report it.
    problem: Option<GitError>,
}

impl Order {
    fn of(counted: &[CountedCapture], folder: Option<&Path>) -> Self {
        let known = counted.iter().map(|it| it.commit.as_str());
        let names: Vec<String> = different(known).into_iter().map(str::to_owned).collect();
        let order = match names.len() {
            0 => Ok(CommitOrder::default()),
            _ => order_of(&names, folder.unwrap_or(Path::new("."))),
        };
        match order {
            Ok(commits) => Self {
                commits,
                problem: None,
            },
            Err(error) => Self {
                commits: CommitOrder::default(),
                problem: Some(error),
            },
        }
    }

    /// Warns of the number of commits of a history whose order git does not report, without those of excluded captures.
    fn warn_of_unknown(&self, shown: &[HistoryCommit]) {
        let shown = different(shown.iter().map(|it| it.commit.as_str()));
        let is_known = |commit: &&&str| self.commits.names.iter().any(|known| known == **commit);
        let unknown = shown.len() - shown.iter().filter(is_known).count();
        if shown.len() < 2 || unknown == 0 {
            return;
        }
        let why = match &self.problem {
            Some(error) => error.to_string(),
            None => {
                "this repository does not contain them; name another by --source-dir, or git fetch"
                    .to_owned()
            }
        };
        warn(&format!(
            "{unknown} of {} commits are placed by their capture times: {why}",
            shown.len()
        ));
    }
}

fn order_of(commits: &[String], folder: &Path) -> Result<CommitOrder, GitError> {
    let Some(repository) = Repository::of(folder)? else {
        return Ok(CommitOrder::default());
    };
    let names = repository.in_order(commits)?;
    let made = repository.made_at(&names)?.into_iter();
    Ok(CommitOrder {
        made_unix_ms: made
            .map(|(commit, seconds)| (commit, seconds.saturating_mul(1_000)))
            .collect(),
        names,
    })
}

/// Commits that are named, each once.
fn different<'c>(commits: impl Iterator<Item = &'c str>) -> BTreeSet<&'c str> {
    commits.filter(|commit| !commit.is_empty()).inserted()
}

fn check_functions(history: &History) -> Result<(), Failure> {
    let unseen = history.series.iter().find(|series| !series.is_seen());
    // The time in all that it calls holds the time in itself.
    let unseen = unseen.filter(|series| {
        let mut others = history.series.iter();
        !others.any(|other| other.function == series.function && other.is_seen())
    });
    match unseen.and_then(|series| series.function.as_deref()) {
        Some(function) => Err(Failure::new(
            Exit::Usage,
            format!("no capture has a function {function}"),
            "",
            "name it as `extrospect top CAPTURE` shows it",
        )),
        None => Ok(()),
    }
}

fn print(arguments: &Diff, history: &History) -> Result<(), Failure> {
    for (position, series) in history.series.iter().enumerate() {
        if position > 0 {
            print_line("")?;
        }
        print_line(&format!("{}, {}", series.title(), series.unit))?;
        print_line(&chart::line(series))?;
        print_lines(table(arguments, history, series))?;
        for step in &series.steps {
            print_line(&format!("step: {}", history.step_line(step)))?;
        }
        if series.steps.is_empty() {
            print_line("the captures show no step")?;
        }
        if let Some(line) = history.newest_line(series) {
            print_line(&line)?;
        }
        print_line(&method(series))?;
    }
    for note in &history.notes {
        print_line(&note.text)?;
    }
    Ok(())
}

fn table(arguments: &Diff, history: &History, series: &Series) -> Vec<String> {
    let columns = [
        ("", Align::Left),
        ("commit", Align::Left),
        ("date", Align::Left),
        ("captures", Align::Right),
        ("value", Align::Right),
        ("95 % interval", Align::Right),
    ];
    let most = match arguments.rows.unwrap_or(ROWS) {
        0 => usize::MAX,
        most => most,
    };
    let steps: Vec<usize> = series.steps.iter().map(|step| step.at).collect();
    let all = history.commits.iter().zip(&series.points).enumerate();
    let rows = all.skip(history.commits.len().saturating_sub(most));
    let rows: Vec<Vec<String>> = rows
        .map(|(position, (commit, point))| {
            vec![
                if steps.contains(&position) { ">" } else { "" }.to_owned(),
                commit.name.clone(),
                commit.day(),
                commit.captures.len().to_string(),
                format!("{:.2}", point.value),
                format!("{:.2} … {:.2}", point.low, point.high),
            ]
        })
        .collect();
    let mut lines = render(&columns, &rows);
    if rows.len() < history.commits.len() {
        let older = history.commits.len() - rows.len();
        lines.push(format!("{older} older: -n 0"));
    }
    lines
}

fn method(series: &Series) -> String {
    let noise = &series.noise;
    let known = match noise.is_measured {
        true => "measured",
        false => "assumed",
    };
    format!(
        "method: runs differ by {:.1} %, commits by {:.1} % more ({known}); steps by PELT, where 95 % intervals of the means do not overlap",
        noise.of_runs_pct, noise.of_commits_pct
    )
}
