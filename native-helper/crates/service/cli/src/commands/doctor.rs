//! `doctor`: what sampling needs and what of it is there.

use diagnose::look::Looker;
use protocol::discovery::{DoctorRow, DoctorStatus};

use crate::arguments::Doctor;
use crate::attaching::fetch_debug_files_first;
use crate::commands::print_json;
use crate::failure::Failure;
use crate::terminal::print_lines;

/// Runs `doctor`. The rows come first; then a failure, when something stands in the way.
pub fn run(arguments: &Doctor) -> Result<(), Failure> {
    if let Some(pid) = arguments.pid {
        fetch_debug_files_first(pid, &arguments.debug_files)?;
    }
    let diagnosis = diagnose::doctor::doctor(arguments.pid, &Looker::own_program());
    if arguments.json {
        print_json(&diagnosis.result)?;
    } else {
        print_lines(render(&diagnosis.result.rows))?;
    }
    diagnosis
        .obstacle
        .map_or(Ok(()), |obstacle| Err(obstacle.into()))
}

/// One line for each passed check; below a failed one, the requirement and the fix.
fn render(rows: &[DoctorRow]) -> Vec<String> {
    let width = rows
        .iter()
        .map(|row| row.check.chars().count())
        .max()
        .unwrap_or(0);
    let mut lines = Vec::new();
    for row in rows {
        let mark = match row.status {
            DoctorStatus::Ok => "ok  ",
            DoctorStatus::Warn => "warn",
            DoctorStatus::Fail => "FAIL",
        };
        lines.push(format!("{mark}  {:<width$}  {}", row.check, row.found));
        if row.status != DoctorStatus::Ok {
            let indent = width + 8;
            lines.push(format!("{:indent$}needed: {}", "", row.needed));
            if let Some(fix) = &row.fix {
                lines.push(format!("{:indent$}fix: {fix}", ""));
            }
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn good_rows_take_one_line_and_the_others_have_the_remedy() {
        let row = |check: &str, status, fix: Option<&str>| DoctorRow {
            check: check.to_owned(),
            status,
            found: "this".to_owned(),
            needed: "that".to_owned(),
            fix: fix.map(ToOwned::to_owned),
            ..DoctorRow::default()
        };
        let rows = [
            row("one", DoctorStatus::Ok, None),
            row("three", DoctorStatus::Fail, Some("sudo x")),
        ];
        assert_eq!(
            render(&rows),
            [
                "ok    one    this",
                "FAIL  three  this",
                "             needed: that",
                "             fix: sudo x"
            ]
        );
    }
}
