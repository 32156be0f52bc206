//! `diff --history`: all captures in a folder, by commit.

mod chart;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use capture::calendar::date;
use commit::Repository;
use compare::history_answer::{History, Series, Skipped};
use compare::{
    CountedCapture, HistoryGate, HistoryQuestion, history, history_markdown, skipped_unreadable,
};

use super::gates::Judged;
use super::{gates, name_of};
use crate::arguments::{Diff, DiffFormat, OfPerf};
use crate::commands::{open_profile, print_json};
use crate::failure::{Exit, Failure};
use crate::table::{Align, render};
use crate::terminal::{print_line, print_lines, warn};

/// What a capture's name ends with.
const ENDING: &str = ".pb.gz";
/// Newest commits of the table when nothing else is said.
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
    let question = HistoryQuestion::new(
        functions.chain(named.map(str::to_owned)),
        arguments.measure.map(Into::into),
    );
    let (counted, unreadable) = count_all(&files, &question, &arguments.of_perf);
    tell_skipped(&unreadable);
    let order = order_of(&counted, arguments.source_dir.as_deref());
    let mut made = history(&question, counted, &order)?;
    tell_skipped(&made.skipped);
    made.skipped.splice(..0, unreadable);
    check_functions(&made)?;
    let gates = gates::judge_newest(&conditions, &made)?;
    print_history(arguments, &made, &gates)?;
    gates::fail_newest(&gates)
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
        DiffFormat::Text | DiffFormat::Html => {
            print(arguments, history)?;
            Ok(print_lines(gates.iter().map(HistoryGate::text))?)
        }
    }
}

fn check(arguments: &Diff) -> Result<(), Failure> {
    match arguments.format() {
        DiffFormat::Html => Err(Failure::new(
            Exit::Usage,
            "a history is no page",
            "",
            "choose --format text, json or markdown, or look at it in the editor: Show the History",
        )),
        _ => Ok(()),
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
    let is_capture = |path: &PathBuf| name_of(path).ends_with(ENDING) && path.is_file();
    let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
    let mut files: Vec<PathBuf> = paths.filter(is_capture).collect();
    files.sort();
    match files.is_empty() {
        true => Err(Failure::new(
            Exit::Other,
            format!("there is no capture (*{ENDING}) in {shown}"),
            "folders below it are not looked at",
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
    of_perf: &OfPerf,
) -> (Vec<CountedCapture>, Vec<Skipped>) {
    let next = AtomicUsize::new(0);
    let done = Mutex::new((Vec::with_capacity(files.len()), Vec::new()));
    let work = || {
        while let Some(path) = files.get(next.fetch_add(1, Ordering::Relaxed)) {
            let name = name_of(path);
            let counted =
                open_profile::load(path, of_perf).map(|capture| question.count(&name, &capture));
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
            scope.spawn(work);
        }
        work();
    });
    let (mut counted, mut skipped): (Vec<CountedCapture>, Vec<Skipped>) = done
        .into_inner()
        .unwrap_or_else(std::sync::PoisonError::into_inner);
    counted.sort_by(|a, b| a.name.cmp(&b.name));
    skipped.sort_by(|a, b| a.capture.cmp(&b.capture));
    (counted, skipped)
}

fn tell_skipped(skipped: &[Skipped]) {
    for Skipped { capture, text, .. } in skipped {
        warn(&format!("{capture} is left out: {text}"));
    }
}

/// The commits as they build on each other, where the repository is here.
fn order_of(counted: &[CountedCapture], folder: Option<&Path>) -> Vec<String> {
    let mut commits: Vec<String> = counted.iter().map(|it| it.commit.clone()).collect();
    commits.retain(|commit| !commit.is_empty());
    commits.sort();
    commits.dedup();
    if commits.len() < 2 {
        return commits;
    }
    let repository = Repository::of(folder.unwrap_or(Path::new(".")));
    let order = match repository {
        Ok(Some(repository)) => repository.in_order(&commits),
        Ok(None) => Ok(Vec::new()),
        Err(error) => Err(error),
    };
    let order = order.unwrap_or_else(|error| {
        warn(&format!("commits go by when they were captured: {error}"));
        Vec::new()
    });
    let unknown = commits.len().saturating_sub(order.len());
    if unknown > 0 {
        warn(&format!(
            "{unknown} of {} commits go by when they were captured: this repository has them not; name another by --source-dir, or git fetch",
            commits.len()
        ));
    }
    order
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
            print_line("no step that the captures can show")?;
        }
        if let Some(latest) = &series.latest {
            print_line(&latest.line())?;
        }
        print_line(&method(series))?;
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
                match commit.started_unix_ms {
                    0 => "?".to_owned(),
                    ms => date(ms / 1000),
                },
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
        "method: runs differ by {:.1} %, commits by {:.1} % more ({known}); steps by PELT, where 95 % intervals of the means are apart",
        noise.of_runs_pct, noise.of_commits_pct
    )
}
