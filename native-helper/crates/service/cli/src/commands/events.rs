//! `events`: the events that can be recorded here, the reasons for others, and their cost.

use diagnose::events::{EventRow, EventsResult};
use diagnose::look::Looker;
use protocol::discovery::BeamRow;
use recorder::Price;

use crate::arguments::Events;
use crate::commands::print_json;
use crate::failure::Failure;
use crate::table::{Align, render};
use crate::terminal::print_lines;

const COLUMNS: [(&str, Align); 5] = [
    ("event", Align::Left),
    ("counts", Align::Left),
    ("recorded by", Align::Left),
    ("here", Align::Left),
    ("cost to the VM", Align::Left),
];

/// Runs `events`. The rows come first; then a failure, when nothing can be recorded.
pub fn run(arguments: &Events) -> Result<(), Failure> {
    let found = diagnose::events::events(arguments.pid, &Looker::own_program());
    if arguments.json {
        print_json(&found.result)?;
    } else {
        print_lines(lines(arguments.pid, &found.result))?;
    }
    found
        .obstacle
        .map_or(Ok(()), |obstacle| Err(obstacle.into()))
}

/// The VM, a table of all mechanisms, and below it the reasons.
fn lines(pid: Option<u32>, result: &EventsResult) -> Vec<String> {
    let mut lines: Vec<String> = result.vm.iter().flat_map(vm_lines).collect();
    let cells: Vec<Vec<String>> = result.events.iter().map(cells).collect();
    lines.extend(render(&COLUMNS, &cells));
    lines.extend(reasons(&result.events));
    if pid.is_none() {
        lines.push("tried on this program itself; on a VM: extrospect events PID".to_owned());
    }
    lines
}

fn vm_lines(vm: &BeamRow) -> Vec<String> {
    let known = |text: &Option<String>| text.clone().unwrap_or_else(|| "?".to_owned());
    let user = vm.user.clone().unwrap_or_else(|| vm.uid.to_string());
    let (otp, erts, flavor) = (known(&vm.otp), known(&vm.erts), known(&vm.flavor));
    let mut line = format!(
        "process {}: OTP {otp}, ERTS {erts}, {flavor}, user {user}",
        vm.pid
    );
    if let Some(container) = &vm.container {
        line += &format!(", container {container}");
    }
    let standstill = vm.standstill.as_ref().or(vm.standstill_unknown.as_ref());
    let standstill = standstill.map(ToString::to_string);
    [line].into_iter().chain(standstill).collect()
}

fn cells(row: &EventRow) -> Vec<String> {
    let here = match row.recordable {
        Some(true) => "yes",
        Some(false) => "no",
        None => "not tried",
    };
    let cost = |price: &Price| format!("about {} µs for each {}", price.ns / 1000.0, price.of);
    let costs: Vec<String> = row.costs.iter().map(cost).collect();
    vec![
        row.event.to_owned(),
        row.label.to_owned(),
        mechanism(row),
        here.to_owned(),
        costs.join(", "),
    ]
}

fn mechanism(row: &EventRow) -> String {
    format!("{}, engine {}", row.source, row.engine)
}

/// One line for each reason, with all that it is about.
fn reasons(rows: &[EventRow]) -> Vec<String> {
    let reason = |row: &EventRow| match (&row.refusal, &row.limit) {
        (Some(refusal), _) => Some(refusal.to_string()),
        (None, limit) => limit.clone(),
    };
    let mut lines: Vec<(Vec<String>, String)> = Vec::new();
    for row in rows {
        let Some(reason) = reason(row) else { continue };
        let of = format!("{} by {}", row.event, row.engine);
        match lines.iter_mut().find(|(_, other)| *other == reason) {
            Some((all, _)) => all.push(of),
            None => lines.push((vec![of], reason)),
        }
    }
    let lines = lines.into_iter();
    lines
        .map(|(of, reason)| format!("{}: {reason}", of.join(", ")))
        .collect()
}

#[cfg(test)]
mod tests {
    use protocol::explanation::Explanation;

    use super::*;

    fn row(engine: &'static str, recordable: Option<bool>, why: Option<&str>) -> EventRow {
        EventRow {
            event: "cpu",
            label: "CPU time",
            engine,
            source: "cpu-clock",
            recordable,
            limit: None,
            refusal: why.map(|why| Explanation {
                what: why.to_owned(),
                fix: "sudo x".to_owned(),
                ..Explanation::default()
            }),
            costs: &[
                Price {
                    of: "block",
                    ns: 2_000.0,
                },
                Price {
                    of: "other switch",
                    ns: 500.0,
                },
            ],
        }
    }

    #[test]
    fn each_row_states_whether_it_can_be_recorded_and_each_reason_is_there_once() {
        let in_part = EventRow {
            limit: Some("user code only".to_owned()),
            ..row("readv", Some(true), None)
        };
        let events = vec![
            row("bpf", Some(false), Some("not allowed")),
            in_part,
            row("bpf", None, Some("it has ended")),
            row("readv", None, Some("it has ended")),
        ];
        let vm = None;
        let lines = lines(None, &EventsResult { vm, events });
        let cost = "about 2 µs for each block, about 0.5 µs for each other switch";
        assert_eq!(
            lines,
            [
                "event  counts    recorded by              here       cost to the VM".to_owned(),
                format!("cpu    CPU time  cpu-clock, engine bpf    no         {cost}"),
                format!("cpu    CPU time  cpu-clock, engine readv  yes        {cost}"),
                format!("cpu    CPU time  cpu-clock, engine bpf    not tried  {cost}"),
                format!("cpu    CPU time  cpu-clock, engine readv  not tried  {cost}"),
                "cpu by bpf: not allowed; sudo x".to_owned(),
                "cpu by readv: user code only".to_owned(),
                "cpu by bpf, cpu by readv: it has ended; sudo x".to_owned(),
                "tried on this program itself; on a VM: extrospect events PID".to_owned(),
            ]
        );
    }

    #[test]
    fn a_vm_is_described_by_what_is_known_of_it() {
        let vm = |more: &str| -> BeamRow {
            serde_json::from_str(&format!(
                r#"{{"pid":7,"attachable":true,"command":"beam.smp","uid":99{more}}}"#
            ))
            .unwrap()
        };
        let known = r#","otp":"27","erts":"15.2","flavor":"jit","user":"shop","container":"web""#;
        assert_eq!(
            vm_lines(&vm(known)),
            ["process 7: OTP 27, ERTS 15.2, jit, user shop, container web"]
        );
        assert_eq!(vm_lines(&vm("")), ["process 7: OTP ?, ERTS ?, ?, user 99"]);
    }
}
