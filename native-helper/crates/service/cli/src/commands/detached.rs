//! `detached`: captures that go on in the background.

use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use capture::counted::counted;
use capture::faults::samples_text;
use capture::file::{CaptureFile, IfExists};
use profiling_service::detached::{self, Detached as Found, read_part};
use protocol::detached::{DetachedCapture, DetachedEnd, DetachedState};

use crate::arguments::detached::{Detached, DetachedAction, Fetch};
use crate::commands::print_json;
use crate::failure::{Exit, Failure};
use crate::table::{Align, render};
use crate::terminal::{next_step, print_line, print_lines};

/// Bytes that are copied at a time.
const AT_ONCE_BYTES: u64 = 1 << 20;

/// Runs `detached`.
pub fn run(arguments: &Detached) -> Result<(), Failure> {
    match &arguments.action {
        None => list(arguments.json),
        Some(DetachedAction::List { json }) => list(*json),
        Some(DetachedAction::Stop { name, json }) => {
            let capture = Found::open(name.clone())?.stop(&|| false)?;
            match json {
                true => print_json(&capture),
                false => print_table(&[capture]),
            }
        }
        Some(DetachedAction::Fetch(fetch)) => self::fetch(fetch),
        Some(DetachedAction::Remove { name }) => {
            Found::open(name.clone())?.remove()?;
            Ok(print_line(&format!("{name} is removed"))?)
        }
    }
}

fn list(json: bool) -> Result<(), Failure> {
    let captures = detached::list().map_err(|error| {
        Failure::new(
            Exit::Other,
            format!("detached captures cannot be listed: {error}"),
            "",
            "make sure that ~/.local/state/extrospect is your own folder",
        )
    })?;
    match (json, captures.is_empty()) {
        (true, _) => print_json(&captures),
        (false, true) => Ok(print_line(
            "no detached capture; `extrospect record PID --detach NAME` starts one",
        )?),
        (false, false) => print_table(&captures),
    }
}

fn fetch(arguments: &Fetch) -> Result<(), Failure> {
    let found = Found::open(arguments.name.clone())?;
    let source = found.capture()?;
    let own_name = || PathBuf::from(format!("{}.pb.gz", arguments.name));
    let path = arguments.output.clone().unwrap_or_else(own_name);
    let if_exists = match arguments.force {
        true => IfExists::Overwrite,
        false => IfExists::Refuse,
    };
    let failed = |error: std::io::Error| {
        let what = format!("the capture of {} cannot be read: {error}", arguments.name);
        Failure::new(Exit::Other, what, "", "try again shortly")
    };
    // As long as it is now: one that goes on has more in a second.
    let file_bytes = source.metadata().map_err(failed)?.len();
    let mut target = CaptureFile::create(&path, if_exists)?;
    let mut copied = 0;
    while copied < file_bytes {
        let most = AT_ONCE_BYTES.min(file_bytes - copied);
        let part = read_part(source.try_clone().map_err(failed)?, copied, most).map_err(failed)?;
        if part.bytes.is_empty() {
            break;
        }
        target.append_as_is(&part.bytes)?;
        copied += part.bytes.len() as u64;
    }
    let path = path.display();
    print_line(&format!("{path} ({copied} bytes)"))?;
    Ok(print_line(&next_step(&path.to_string()))?)
}

fn print_table(captures: &[DetachedCapture]) -> Result<(), Failure> {
    let columns = [
        ("name", Align::Left),
        ("pid", Align::Right),
        ("began", Align::Left),
        ("MB", Align::Right),
        ("samples", Align::Right),
        ("node", Align::Left),
        ("state", Align::Left),
    ];
    let rows: Vec<Vec<String>> = captures.iter().map(cells).collect();
    print_lines(render(&columns, &rows))?;
    for capture in captures {
        let facts = capture.facts.as_ref();
        if let Some(problem) = facts.and_then(|it| it.problem.as_ref()) {
            print_line(&format!("{}: {}", capture.name, problem.explanation))?;
        }
        if let Some(halted) = facts.and_then(|it| it.halted?.clause()) {
            print_line(&format!("{}: {halted}", capture.name))?;
        }
    }
    Ok(())
}

fn cells(capture: &DetachedCapture) -> Vec<String> {
    let facts = capture.facts.as_ref();
    let unknown = || "?".to_owned();
    vec![
        capture.name.clone(),
        facts.map_or_else(unknown, |it| it.target_pid.to_string()),
        facts.map_or_else(unknown, |it| ago(it.begun_unix_ms)),
        format!("{:.1}", capture.file_bytes as f64 / 1e6),
        counted_text(capture),
        facts.map_or_else(unknown, |it| match it.node.as_str() {
            "" => "-".to_owned(),
            node => node.to_owned(),
        }),
        state(capture).to_owned(),
    ]
}

/// As of the last few seconds while it goes on.
fn counted_text(capture: &DetachedCapture) -> String {
    let facts = capture.facts.as_ref();
    let texts = facts.map(|facts| {
        [
            facts.samples.map(|samples| samples.to_string()),
            facts.blocks.map(|blocks| counted(blocks, "block")),
            facts.fault_samples.map(samples_text),
        ]
    });
    let texts: Vec<String> = texts.into_iter().flatten().flatten().collect();
    match (texts.is_empty(), capture.state) {
        (false, _) => texts.join(", "),
        (_, DetachedState::Starting | DetachedState::Recording) => "not known yet".to_owned(),
        _ => "not known".to_owned(),
    }
}

/// In words, since the helper knows no time zones.
fn ago(unix_ms: u64) -> String {
    let then = SystemTime::UNIX_EPOCH + Duration::from_millis(unix_ms);
    let Ok(since) = SystemTime::now().duration_since(then) else {
        return "in the future".to_owned();
    };
    let seconds = since.as_secs();
    match seconds {
        0..120 => format!("{seconds} s ago"),
        120..7200 => format!("{} min ago", seconds / 60),
        7200..172_800 => format!("{} h ago", seconds / 3600),
        _ => format!("{} days ago", seconds / 86_400),
    }
}

/// How it is, in words.
pub fn state(capture: &DetachedCapture) -> &'static str {
    let end = capture.facts.as_ref().and_then(|facts| facts.end);
    match (capture.state, end) {
        (DetachedState::Starting, _) => "starting",
        (DetachedState::Recording, _) => "recording",
        (DetachedState::EndedUnexpectedly, _) => "ended unexpectedly",
        (DetachedState::Ended, Some(DetachedEnd::Duration)) => "ended: its time was up",
        (DetachedState::Ended, Some(DetachedEnd::SizeLimit)) => "ended: as large as may be",
        (DetachedState::Ended, Some(DetachedEnd::TargetGone)) => "ended: the VM ended",
        (DetachedState::Ended, Some(DetachedEnd::WriteFailed)) => "ended: cannot be written",
        (DetachedState::Ended, Some(DetachedEnd::Failed)) => "ended: failed",
        (DetachedState::Ended, _) => "ended: stopped",
    }
}

#[cfg(test)]
mod tests {
    use protocol::detached::DetachedFacts;
    use protocol::recording::EngineName;

    use super::*;

    fn capture(samples: Option<u64>, blocks: Option<u64>, state: DetachedState) -> DetachedCapture {
        DetachedCapture {
            name: "night".to_owned(),
            state,
            file_bytes: 0,
            facts: Some(DetachedFacts {
                target_pid: 42,
                node: String::new(),
                recorder_pid: 43,
                begun_unix_ms: 0,
                ended_unix_ms: None,
                frequency_hz: 99,
                duration_seconds: 10.0,
                max_file_bytes: 1,
                engine: EngineName::Bpf,
                samples,
                blocks,
                fault_samples: None,
                end: None,
                problem: None,
                halted: None,
            }),
        }
    }

    #[test]
    fn blocks_are_no_samples() {
        let text = |samples, blocks, state| counted_text(&capture(samples, blocks, state));
        let state = DetachedState::Recording;
        assert_eq!(text(Some(7), None, state), "7");
        assert_eq!(text(None, Some(4_210), state), "4210 blocks");
        assert_eq!(text(Some(7), Some(1), state), "7, 1 block");
        assert_eq!(text(None, None, state), "not known yet");
        assert_eq!(text(None, None, DetachedState::Ended), "not known");
        let mut of_faults = capture(Some(7), None, state);
        if let Some(facts) = &mut of_faults.facts {
            facts.fault_samples = Some(1);
        }
        assert_eq!(counted_text(&of_faults), "7, 1 sample of page faults");
    }
}
