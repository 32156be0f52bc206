//! `list`: the Erlang VMs on this machine.

use std::time::Duration;

use diagnose::look::{Looker, look_within_limit};
use protocol::discovery::{BeamRow, PortProgramsUse};
use shared_map::HashSet;
use target_proc::stuck::{Work, name_own_process};

use crate::arguments::{List, Look};
use crate::attaching::only_print;
use crate::commands::print_json;
use crate::failure::{Exit, Failure};
use crate::schedulers_line::schedulers_lines_if_known;
use crate::table::{Align, megabytes, render};
use crate::terminal::{print_line, print_lines};

/// Longer than `list` waits.
const LONGEST_LOOK: Duration = Duration::from_secs(60);
/// Characters of a command line in the last column.
const SHOWN_COMMAND_CHARS: usize = 70;
/// Characters of a working directory, from its end.
const SHOWN_DIRECTORY_CHARS: usize = 40;
/// The cell of a VM that is known to have started no program.
const NO_PROGRAMS: &str = "-";

/// Runs `look`: the row of one VM as JSON, by a process of its own that is not waited for for ever. That
/// one (`--here`) ends by itself as well, since its parent may be gone by then.
pub fn look(arguments: &Look) -> Result<(), Failure> {
    if !arguments.here {
        return print_json(&look_within_limit(arguments.pid)?);
    }
    name_own_process(Work::Look, arguments.pid);
    std::thread::Builder::new().spawn(|| {
        std::thread::sleep(LONGEST_LOOK);
        std::process::exit(i32::from(Exit::Other as u8));
    })?;
    // Before the first byte of it is read.
    only_print(arguments.pid)?;
    print_json(&diagnose::look::look(arguments.pid))
}

/// Runs `list`.
pub fn run(arguments: &List) -> Result<(), Failure> {
    let result = diagnose::list::list(&Looker::own_program()).map_err(|error| {
        Failure::new(
            Exit::Other,
            format!("cannot list /proc: {error}"),
            "",
            "mount it (mount -t proc proc /proc)",
        )
    })?;
    if arguments.json {
        return print_json(&result.beams);
    }
    if result.beams.is_empty() {
        return Ok(print_line(
            "no Erlang VM runs here (or none that you can see)",
        )?);
    }
    print_lines(table(&result.beams))?;
    result.beams.iter().try_for_each(print_notes)
}

/// The columns that every table has.
const COLUMNS: [(&str, Align); 10] = [
    ("pid", Align::Right),
    ("cpu %", Align::Right),
    ("OTP", Align::Left),
    ("ERTS", Align::Left),
    ("flavor", Align::Left),
    ("sched online", Align::Right),
    ("user", Align::Left),
    ("attach", Align::Left),
    ("container", Align::Left),
    ("node or command", Align::Left),
];

fn table(beams: &[BeamRow]) -> Vec<String> {
    let mut columns = COLUMNS.to_vec();
    let mut rows: Vec<Vec<String>> = beams.iter().map(cells).collect();
    let mut insert = |at: usize, heading, align, cell: fn(&BeamRow) -> String| {
        columns.insert(at, (heading, align));
        for (cells, row) in rows.iter_mut().zip(beams) {
            cells.insert(at, cell(row));
        }
    };
    // Before the name, from the last one on: so no place moves.
    let name = COLUMNS.len() - 1;
    // Only where the names do not distinguish all VMs: paths are long.
    if has_equal_names(beams) {
        insert(name, "working directory", Align::Left, directory_cell);
    }
    // A column of dashes has no information; a sum that is not known is some.
    if beams.iter().any(|row| programs_cell(row) != NO_PROGRAMS) {
        insert(name, "below ports", Align::Left, programs_cell);
    }
    if beams.iter().any(|row| row.pid_inside.is_some()) {
        insert(1, "pid inside", Align::Right, inside_cell);
    }
    render(&columns, &rows)
}

fn inside_cell(row: &BeamRow) -> String {
    let inside = row.pid_inside.map(|pid| pid.to_string());
    inside.unwrap_or_else(|| "-".to_owned())
}

/// What the cells of a VM have no place for.
fn print_notes(row: &BeamRow) -> Result<(), Failure> {
    if let Some(reason) = &row.reason {
        print_line(&format!("{}: {reason}", row.pid))?;
    }
    if row.schedulers.is_some() && row.schedulers_online.is_none() {
        for line in schedulers_lines_if_known(None, row.pid) {
            print_line(&format!("{}: {line}", row.pid))?;
        }
    }
    if let Some(why) = row.standstill.as_ref().or(row.standstill_unknown.as_ref()) {
        print_line(&format!("{}: {why}", row.pid))?;
    }
    Ok(())
}

/// The programs below its ports: how many run, the processor time of all so far, and the memory of those that run.
fn programs_cell(row: &BeamRow) -> String {
    let Some(used) = row.port_programs else {
        return "?".to_owned();
    };
    if used == PortProgramsUse::default() {
        return NO_PROGRAMS.to_owned();
    }
    let seconds = used.cpu_ms as f64 / 1000.0;
    format!(
        "{}: {seconds:.2} s, {} MB",
        used.processes,
        megabytes(used.rss_bytes)
    )
}

/// How many of its normal schedulers are online.
fn schedulers_cell(row: &BeamRow) -> String {
    let known = |count: Option<u32>| count.map_or_else(|| "?".to_owned(), |it| it.to_string());
    match row.schedulers {
        None => "?".to_owned(),
        all => format!("{} of {}", known(row.schedulers_online), known(all)),
    }
}

fn cells(row: &BeamRow) -> Vec<String> {
    let known = |text: &Option<String>| text.clone().unwrap_or_else(|| "?".to_owned());
    vec![
        row.pid.to_string(),
        row.cpu_pct
            .map_or_else(|| "?".to_owned(), |pct| format!("{pct:.0}")),
        known(&row.otp),
        known(&row.erts),
        known(&row.flavor),
        schedulers_cell(row),
        row.user.clone().unwrap_or_else(|| row.uid.to_string()),
        if row.attachable { "yes" } else { "no" }.to_owned(),
        row.container.clone().unwrap_or_else(|| "-".to_owned()),
        name_cell(row),
    ]
}

fn name_cell(row: &BeamRow) -> String {
    row.node
        .clone()
        .unwrap_or_else(|| row.command.chars().take(SHOWN_COMMAND_CHARS).collect())
}

fn has_equal_names(rows: &[BeamRow]) -> bool {
    let mut names = HashSet::new();
    !rows.iter().all(|row| names.insert(name_cell(row)))
}

/// The end of a long path: it begins like others.
fn directory_cell(row: &BeamRow) -> String {
    let Some(path) = &row.working_directory else {
        return "?".to_owned();
    };
    match path.chars().count().checked_sub(SHOWN_DIRECTORY_CHARS) {
        None | Some(0) => path.clone(),
        Some(more) => format!("…{}", path.chars().skip(more + 1).collect::<String>()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(more: &str) -> BeamRow {
        serde_json::from_str(&format!(
            r#"{{"pid":7,"attachable":true,"command":"beam.smp","uid":0,{more}}}"#
        ))
        .unwrap()
    }

    #[test]
    fn vms_of_one_name_have_their_working_directories() {
        let [alike, named] = [r#""node":null"#, r#""node":"shop@a""#].map(row);
        let rows = [alike.clone(), named, alike.clone()];
        let headings = |rows: &[BeamRow]| table(rows).swap_remove(0);
        let shown = headings(&rows);
        assert!(
            shown.ends_with("below ports  working directory  node or command"),
            "{shown}"
        );
        assert!(!headings(&rows[1..]).contains("working directory"));
        assert_eq!(directory_cell(&alike), "?");
        let cell = |path: &str| directory_cell(&row(&format!(r#""workingDirectory":"{path}""#)));
        assert_eq!(cell("/srv/shop"), "/srv/shop");
        let long = "ä".repeat(SHOWN_DIRECTORY_CHARS);
        assert_eq!(cell(&long), long);
        let cut = cell(&format!("/srv/{long}/shop"));
        assert_eq!(cut.chars().count(), SHOWN_DIRECTORY_CHARS);
        assert!(cut.starts_with("…ä") && cut.ends_with("ä/shop"), "{cut}");
    }

    #[test]
    fn a_user_without_a_name_is_a_number() {
        let user = |more: &str| cells(&row(more))[6].clone();
        assert_eq!(user(r#""user":"shop""#), "shop");
        assert_eq!(user(r#""node":null"#), "0");
    }

    #[test]
    fn schedulers_that_are_online_are_counted_of_all() {
        let cell = |schedulers: &str| schedulers_cell(&row(schedulers));
        assert_eq!(cell(r#""schedulers":4,"schedulersOnline":2"#), "2 of 4");
        assert_eq!(cell(r#""schedulers":4"#), "? of 4");
        assert_eq!(cell(r#""schedulers":null"#), "?");
    }
}
