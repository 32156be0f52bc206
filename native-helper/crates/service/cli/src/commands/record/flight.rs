//! `record --when`: a flight recorder.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use capture::counted::counted;
use capture::file::flight::{FlightFile, FlightNews, FlightPlan, FlightRecorder};
use capture::quality::QualityRecord;
use capture::trigger::{Measured, in_words};
use diagnose::refusal::Refusal;
use profiling_service::capture_name::default_name;
use profiling_service::sampling_loop::{self, Broken, Ended};
use serde::Serialize;

use super::{Ready, begin, engine_text, quality_lines};
use crate::arguments::Record;
use crate::commands::print_json;
use crate::failure::{Exit, Failure};
use crate::progress::ProgressLine;
use crate::stop_flag::StopFlag;
use crate::terminal::{self, next_step, print_line, print_lines};

/// What `record --when --json` prints.
#[derive(Debug, Serialize)]
struct Summary {
    condition: String,
    ended: &'static str,
    duration_s: f64,
    files: Vec<FileRow>,
    /// The quantities of the condition that the VM did not report at the end: they did not decide whether it
    /// holds.
    unknown: Vec<&'static str>,
    /// Readings behind the first one, at which no rate has a value.
    readings: u64,
    /// Of these, how many did not have a quantity of the condition, by its name.
    without_value: BTreeMap<&'static str, u64>,
    /// Files that could not be written, or not to their end.
    failed: u32,
    quality: QualityRecord,
}

#[derive(Debug, Serialize)]
struct FileRow {
    file: PathBuf,
    bytes: u64,
    found: String,
    from_s: f64,
    triggered_s: f64,
    until_s: f64,
}

/// Watches until it is over, and writes the samples to keep.
pub fn run(arguments: &Record, pid: u32, plan: FlightPlan) -> Result<(), Failure> {
    let stop = StopFlag::install()?;
    let ready = Ready::prepare(arguments, pid, &stop)?;
    let path = arguments.output.clone().unwrap_or_else(|| {
        let commit = ready.checked_out.as_ref();
        let commit = commit.map(|found| found.origin.commit.as_str());
        default_name(&ready.attached.target, commit.unwrap_or_default())
    });
    let condition = plan.condition.to_string();
    let max_files = plan.max_files;
    let recorder = RefCell::new(FlightRecorder::create(&path, plan)?);
    let mut recording = begin(arguments, ready.sampler, ready.checked_out.as_ref(), None)?;
    let mut progress = ProgressLine::new();
    progress.show(&engine_text(&recording));
    let mut files = 0;
    let mut write = |member: Vec<u8>, _: &QualityRecord, elapsed: Duration| {
        let news = recorder.borrow_mut().add(member);
        for it in news.map_err(|error| Refusal::from(&error))? {
            files += u32::from(matches!(it, FlightNews::Written(_)));
            warn_of(it);
        }
        progress.show(&format!(
            "watching for {condition}, {} s, {files} of {max_files} files, Ctrl-C to end",
            elapsed.as_secs()
        ));
        Ok(())
    };
    let is_over = || stop.is_raised() || recorder.borrow().is_over();
    let duration_s = arguments.sampling.duration;
    let ended = sampling_loop::run(&mut recording, duration_s, &is_over, &mut write);
    let duration_s = recording.elapsed().as_secs_f64();
    let quality = recording.quality().clone();
    drop(recording);
    let is_full = recorder.borrow().is_over();
    let unknown_name = |it: &Measured| it.value.is_none().then_some(it.name);
    let mut recorder = recorder.into_inner();
    let unknown = recorder.measured().iter().filter_map(unknown_name);
    let unknown = unknown.collect();
    let (readings, had_reading) = (recorder.readings(), !recorder.measured().is_empty());
    let without_value = recorder.without_value().iter().copied().collect();
    if matches!(ended, Err(Broken::Sampling(_))) {
        recorder.end_early();
    }
    let (written, failed) = recorder.finish(Ended::in_file(&ended));
    let ended = ended.map_err(Broken::into_refusal)?;
    let summary = Summary {
        condition,
        ended: if is_full { "files" } else { ended.as_str() },
        duration_s,
        files: written.into_iter().map(row).collect(),
        unknown,
        readings,
        without_value,
        failed,
        quality,
    };
    match arguments.json {
        true => print_json(&summary)?,
        false => print(&summary, had_reading)?,
    }
    judged(pid, ended, &summary)
}

/// Whether all went well.
fn judged(pid: u32, ended: Ended, summary: &Summary) -> Result<(), Failure> {
    let failed = summary.failed;
    if failed > 0 {
        return Err(Failure::new(
            Exit::Other,
            format!(
                "not written to the end: {}",
                counted(failed as u64, "capture")
            ),
            "the disk was full, or the folder cannot be written to",
            "free some room, or name another place with -o",
        ));
    }
    match ended {
        Ended::Duration | Ended::Stopped => Ok(()),
        Ended::TargetGone => Err(Failure::new(
            Exit::TargetGone,
            diagnose::refusal::what_became_of(pid).english,
            format!(
                "written until then: {}",
                counted(summary.files.len() as u64, "capture")
            ),
            "look for it with `extrospect list`",
        )),
    }
}

/// Events during the watch, on stderr.
fn warn_of(news: FlightNews) {
    match news {
        FlightNews::Triggered(found) => {
            terminal::warn(&format!("it holds: {}", in_words(&found)));
        }
        FlightNews::Written(path) => terminal::warn(&format!("written: {}", path.display())),
        FlightNews::Failed(error) => terminal::warn(&format!("not written to its end: {error}")),
        FlightNews::Unknown(what) => terminal::warn(&format!(
            "this VM does not report {}: no condition on it can hold",
            what.join(", ")
        )),
    }
}

fn row(file: FlightFile) -> FileRow {
    FileRow {
        file: file.path,
        bytes: file.bytes,
        found: in_words(&file.found),
        from_s: file.from_s,
        triggered_s: file.triggered_s,
        until_s: file.until_s,
    }
}

/// Whether the condition held, where no file shows that, and the readings that cannot tell.
fn outcome(summary: &Summary, had_reading: bool) -> Option<String> {
    let Summary {
        condition,
        duration_s,
        unknown,
        readings,
        without_value,
        ..
    } = summary;
    let lacking = without_value.iter().map(|(name, count)| {
        let readings = counted(*readings, "reading");
        format!("{name} had no value at {count} of {readings}")
    });
    let lacking = lacking.collect::<Vec<_>>().join(", ");
    if !summary.files.is_empty() {
        return (!lacking.is_empty()).then_some(lacking);
    }
    if !had_reading {
        return Some(format!(
            "{condition} could not be judged within {duration_s:.0} s: there was no reading"
        ));
    }
    let never = |name: &&&str| without_value.get(**name).copied().unwrap_or(0) == *readings;
    let never: Vec<&str> = unknown.iter().filter(never).copied().collect();
    Some(match (never.is_empty(), lacking.is_empty()) {
        (true, true) => format!("{condition} did not hold within {duration_s:.0} s"),
        (true, false) => {
            format!(
                "{condition} did not hold within {duration_s:.0} s where it was known: {lacking}"
            )
        }
        (false, _) => format!(
            "{condition} could not be judged within {duration_s:.0} s: this VM does not report {}",
            never.join(", ")
        ),
    })
}

fn print(summary: &Summary, had_reading: bool) -> Result<(), Failure> {
    // Of the whole watch: files have that of their own time.
    print_lines(quality_lines(&summary.quality))?;
    for it in &summary.files {
        print_line(&format!(
            "{} ({} bytes): {} after {:.0} s, with {:.0} s before and {:.0} s after",
            it.file.display(),
            it.bytes,
            it.found,
            it.triggered_s,
            it.triggered_s - it.from_s,
            it.until_s - it.triggered_s
        ))?;
    }
    print_lines(outcome(summary, had_reading))?;
    if let Some(it) = summary.files.first() {
        print_line(&next_step(&it.file.display().to_string()))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn summary(unknown: &[&'static str], without_value: &[(&'static str, u64)]) -> Summary {
        Summary {
            condition: "mailbox>9 or rss>1".to_owned(),
            ended: "duration",
            duration_s: 30.0,
            files: Vec::new(),
            unknown: unknown.to_vec(),
            readings: 29,
            without_value: without_value.iter().copied().collect(),
            failed: 0,
            quality: QualityRecord::default(),
        }
    }

    #[test]
    fn a_condition_did_not_hold_where_its_values_were_known() {
        let text = |summary: &Summary| outcome(summary, true).unwrap();
        assert_eq!(
            text(&summary(&[], &[])),
            "mailbox>9 or rss>1 did not hold within 30 s"
        );
        // Known at the last reading alone, and at all others.
        assert_eq!(
            text(&summary(&[], &[("mailbox", 28)])),
            "mailbox>9 or rss>1 did not hold within 30 s where it was known: mailbox had no value at 28 of 29 readings"
        );
        assert_eq!(
            text(&summary(&["rss"], &[("rss", 1)])),
            "mailbox>9 or rss>1 did not hold within 30 s where it was known: rss had no value at 1 of 29 readings"
        );
        assert_eq!(
            text(&summary(&["rss"], &[("mailbox", 1), ("rss", 29)])),
            "mailbox>9 or rss>1 could not be judged within 30 s: this VM does not report rss"
        );
        assert_eq!(
            outcome(&summary(&[], &[]), false).unwrap(),
            "mailbox>9 or rss>1 could not be judged within 30 s: there was no reading"
        );
    }

    #[test]
    fn beside_files_are_the_readings_without_a_value() {
        let with_file = |without_value: &[(&'static str, u64)]| Summary {
            files: vec![FileRow {
                file: PathBuf::from("surge.pb.gz"),
                bytes: 1,
                found: String::new(),
                from_s: 0.0,
                triggered_s: 0.0,
                until_s: 1.0,
            }],
            ..summary(&[], without_value)
        };
        assert_eq!(outcome(&with_file(&[]), true), None);
        assert_eq!(
            outcome(&with_file(&[("mailbox", 20)]), true).as_deref(),
            Some("mailbox had no value at 20 of 29 readings")
        );
    }
}
