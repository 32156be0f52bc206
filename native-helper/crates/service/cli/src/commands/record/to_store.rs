//! `record --push`: a profile every ten seconds to a store, of one VM or of all.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::{Scope, ScopedJoinHandle};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use capture::counted::counted;
use capture::facts::{OriginFacts, TargetFacts};
use capture::interval::Intervals;
use capture::quality::QualityRecord;
use diagnose::refusal::Refusal;
use profile_store::buffer::Buffer;
use profile_store::profile::{About, Outgoing};
use profile_store::pusher::{Pusher, Tally};
use profiling_service::sampling_loop::{self, Broken, Ended};
use recorder::RecordingSettings;
use sampling_process::{Attached, DistantRecording, Sampler};
use serde::Serialize;
use shared_map::HashMap;
use target_proc::{ProcFs, caller};

use super::settings;
use crate::arguments::Record;
use crate::attaching::{attach, attach_with_names};
use crate::commands::commit::CommitLook;
use crate::commands::{print_json, push};
use crate::failure::{Exit, Failure};
use crate::progress::ProgressLine;
use crate::stop_flag::StopFlag;
use crate::terminal::{self, print_line};

/// How much one profile is of.
const INTERVAL: Duration = Duration::from_secs(10);
/// How often it is looked for new VMs.
const LOOK_FOR_VMS: Duration = Duration::from_secs(2);
/// A VM that cannot be attached to is tried again after that.
const TRY_AGAIN: Duration = Duration::from_secs(60);
/// How long it is waited for the store in the end.
const LAST_PATIENCE: Duration = Duration::from_secs(10);
const REPORT_EACH: Duration = Duration::from_millis(500);
const MB: u64 = 1_000_000;

/// What `record --push --json` prints.
#[derive(Debug, Serialize)]
struct Summary<'a> {
    store: String,
    buffer: PathBuf,
    vms: u64,
    samples: u64,
    profiles: &'a Tally,
    dropped: u64,
}

/// What the threads share.
struct Job<'a> {
    arguments: &'a Record,
    pusher: &'a Pusher,
    stop: &'a StopFlag,
    /// What the sources were, where it is known.
    origin: Option<OriginFacts>,
    begun: Instant,
    vms: AtomicU64,
    samples: AtomicU64,
}

/// Runs `record --push`.
pub fn run(arguments: &Record) -> Result<(), Failure> {
    let Some(address) = &arguments.push else {
        return Ok(());
    };
    let stop = StopFlag::install()?;
    let folder = buffer_folder(arguments, &address.to_string());
    let max_bytes = u64::from(arguments.buffer_size) * MB;
    let buffer = Buffer::open(&folder, max_bytes).map_err(|error| {
        let what = format!("cannot keep profiles in {}", folder.display());
        Failure::new(
            Exit::Other,
            what,
            error.to_string(),
            "give another folder by --buffer",
        )
    })?;
    let left = buffer.len();
    if left > 0 {
        let left = counted(left as u64, "profile");
        terminal::warn(&format!("also sent, of an earlier run: {left}"));
    }
    let credentials = push::credentials(&arguments.sending)?;
    let protocol = arguments.sending.protocol();
    let pusher = Pusher::start(address.clone(), protocol, credentials, buffer)
        .map_err(|error| push::not_sent(&address.to_string(), &error))?;
    let job = Job {
        arguments,
        pusher: &pusher,
        stop: &stop,
        origin: origin(arguments)?,
        begun: Instant::now(),
        vms: AtomicU64::new(0),
        samples: AtomicU64::new(0),
    };
    let outcome = match arguments.pid {
        Some(pid) => job.one(pid),
        None => job.all(),
    };
    let (vms, samples) = (job.vms.into_inner(), job.samples.into_inner());
    let tally = pusher.finish(LAST_PATIENCE);
    let summary = Summary {
        store: address.to_string(),
        buffer: folder,
        vms,
        samples,
        dropped: tally.dropped(),
        profiles: &tally,
    };
    print(arguments, &summary)?;
    outcome
}

/// The commit of the sources, as `record` finds it. For all VMs of a machine, the relation of the current
/// folder to them is unknown: there it has to be named.
fn origin(arguments: &Record) -> Result<Option<OriginFacts>, Failure> {
    let folder = arguments.source_dir.as_deref();
    let is_named = arguments.sending.commit.is_some();
    if is_named || (arguments.all && folder.is_none()) {
        return Ok(None);
    }
    let found = CommitLook::begin(folder)?.wait();
    Ok(found.map(|found| found.origin))
}

fn buffer_folder(arguments: &Record, store: &str) -> PathBuf {
    if let Some(folder) = &arguments.buffer {
        return folder.clone();
    }
    let name: String = store
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '-' })
        .take(100)
        .collect();
    let cache = caller::variable("XDG_CACHE_HOME").map(PathBuf::from);
    let cache = cache.or_else(|| Some(caller::home()?.join(".cache")));
    // One for each run at a time: two that work off the same folder would take from each other.
    let whose = match arguments.pid {
        Some(pid) => pid.to_string(),
        None => "all".to_owned(),
    };
    cache
        .unwrap_or_else(caller::temporary_folder)
        .join(format!("extrospect-push-{name}-{whose}"))
}

impl Job<'_> {
    /// Records one VM until it ends.
    fn one(&self, pid: u32) -> Result<(), Failure> {
        let debug_files = &self.arguments.sampling.debug_files;
        let attached = attach_with_names(pid, debug_files, self.stop)?;
        let mut progress = ProgressReport::new();
        let ended = self.record(attached, &mut || progress.show(self))?;
        progress.line.clear();
        match ended {
            Ended::Duration | Ended::Stopped => Ok(()),
            Ended::TargetGone => Err(Failure::new(
                Exit::TargetGone,
                diagnose::refusal::what_became_of(pid).english,
                "the samples until then were handed to the store",
                "`extrospect list` lists the VMs here",
            )),
        }
    }

    /// Records every VM, each on a thread of its own, until it is stopped.
    fn all(&self) -> Result<(), Failure> {
        let mut progress = ProgressReport::new();
        std::thread::scope(|scope| {
            let mut running: HashMap<u32, ScopedJoinHandle<'_, ()>> = HashMap::new();
            let mut refused: HashMap<u32, Instant> = HashMap::new();
            let mut looked: Option<Instant> = None;
            while !self.is_over() {
                if looked.is_none_or(|at| at.elapsed() >= LOOK_FOR_VMS) {
                    looked = Some(Instant::now());
                    self.look(scope, &mut running, &mut refused);
                }
                progress.show(self);
                std::thread::sleep(Duration::from_millis(100));
            }
            progress.line.clear();
        });
        Ok(())
    }

    fn is_over(&self) -> bool {
        let duration_s = self.arguments.sampling.duration;
        let is_late = duration_s > 0.0 && self.begun.elapsed().as_secs_f64() >= duration_s;
        is_late || self.stop.is_raised()
    }

    /// Begins to record the VMs that are new.
    fn look<'scope, 'env: 'scope>(
        &'env self,
        scope: &'scope Scope<'scope, 'env>,
        running: &mut HashMap<u32, ScopedJoinHandle<'scope, ()>>,
        refused: &mut HashMap<u32, Instant>,
    ) {
        running.retain(|pid, thread| {
            if thread.is_finished() && std::path::Path::new(&format!("/proc/{pid}")).exists() {
                // It lives and is not recorded: it was refused, or its id is another one's by now.
                refused.insert(*pid, Instant::now());
            }
            !thread.is_finished()
        });
        refused.retain(|_, at| at.elapsed() < TRY_AGAIN);
        let found = match ProcFs::live().find_emulators() {
            Ok(found) => found,
            Err(error) => return terminal::warn(&format!("cannot look for VMs: {error}")),
        };
        for vm in found.into_iter().filter(|vm| !vm.status.is_zombie()) {
            let pid = vm.pid;
            if running.contains_key(&pid) || refused.contains_key(&pid) {
                continue;
            }
            let thread = std::thread::Builder::new().name(format!("vm {pid}"));
            match thread.spawn_scoped(scope, move || self.record_found(pid)) {
                Ok(thread) => drop(running.insert(pid, thread)),
                Err(error) => terminal::warn(&format!("VM {pid}: there is no thread: {error}")),
            }
        }
    }

    fn record_found(&self, pid: u32) {
        let recorded = attach(pid)
            .map_err(Failure::from)
            .and_then(|attached| self.record(attached, &mut || {}));
        match recorded {
            Ok(_) => {}
            // One that is gone before anything could be read of it is no trouble.
            Err(failure) if matches!(failure.exit, Exit::NoTarget | Exit::TargetGone) => {}
            Err(failure) => terminal::warn(&format!("VM {pid} is not recorded: {failure}")),
        }
    }

    /// Records a VM, and hands over a profile every ten seconds and in the end.
    fn record(
        &self,
        (sampler, attached): (Sampler, Attached),
        show_progress: &mut dyn FnMut(),
    ) -> Result<Ended, Failure> {
        let settings = RecordingSettings {
            sources: self.arguments.sources(),
            ..settings(&self.arguments.sampling)
        };
        let mut recording = DistantRecording::begin(sampler, settings)?;
        if let Some(most) = self.arguments.max_overhead() {
            recording.limit_overhead(most);
        }
        if let Some(origin) = &self.origin {
            recording.set_origin(origin.clone());
        }
        self.vms.fetch_add(1, Ordering::Relaxed);
        let mut interval = Interval::begin(attached.target);
        let mut write = |member: Vec<u8>, quality: &QualityRecord, _: Duration| {
            interval.warn_of_refused(quality);
            interval
                .intervals
                .add(&member)
                .map_err(|error| Refusal::from(&error))?;
            if interval.begun.elapsed() >= INTERVAL {
                self.hand_over(&mut interval);
            }
            show_progress();
            Ok::<(), Refusal>(())
        };
        let ended = sampling_loop::run(&mut recording, 0.0, &|| self.is_over(), &mut write);
        drop(recording);
        if matches!(ended, Err(Broken::Sampling(_))) {
            interval.intervals.end_early();
        }
        self.hand_over(&mut interval);
        Ok(ended.map_err(Broken::into_refusal)?)
    }

    fn hand_over(&self, interval: &mut Interval) {
        let (samples, is_empty) = (interval.intervals.samples(), interval.intervals.is_empty());
        let quality = interval.intervals.quality();
        let (from_ns, length) = (interval.began_unix_ns, interval.begun.elapsed());
        let length_ns = u64::try_from(length.as_nanos()).unwrap_or(u64::MAX);
        let pprof = interval.intervals.take(from_ns, length_ns);
        interval.begin_next();
        // A VM that did nothing has nothing to show, and to a store it looks like one of which nothing was sampled.
        if is_empty {
            interval.warn_why_empty(quality.as_ref());
            return;
        }
        interval.is_reported = false;
        self.samples.fetch_add(samples, Ordering::Relaxed);
        let (service, labels) = push::labels(
            &self.arguments.sending,
            &interval.target,
            self.origin.as_ref(),
        );
        let from_s = from_ns / 1_000_000_000;
        let about = About {
            service,
            labels,
            from_s,
            until_s: from_s + length.as_secs().max(1),
        };
        self.pusher.push(&Outgoing { about, pprof });
    }
}

/// The profile being made of one VM.
struct Interval {
    target: TargetFacts,
    intervals: Intervals,
    begun: Instant,
    began_unix_ns: u64,
    /// It was reported why there are no samples.
    is_reported: bool,
    /// And which type of samples is not recorded.
    is_refusal_reported: bool,
}

impl Interval {
    fn begin(target: TargetFacts) -> Self {
        Self {
            target,
            intervals: Intervals::default(),
            begun: Instant::now(),
            began_unix_ns: unix_ns(),
            is_reported: false,
            is_refusal_reported: false,
        }
    }

    /// Once: a store shows no sign of it.
    fn warn_of_refused(&mut self, quality: &QualityRecord) {
        if self.is_refusal_reported {
            return;
        }
        let off_cpu = quality.off_cpu.as_ref();
        let off_cpu = off_cpu.filter(|it| it.refused.is_some());
        let faults = quality.faults.as_ref();
        let faults = faults.filter(|it| it.refused.is_some());
        let lines = [off_cpu.map(|it| it.line()), faults.map(|it| it.line())];
        for line in lines.into_iter().flatten() {
            self.is_refusal_reported = true;
            terminal::warn(&format!("VM {}: {line}", self.target.pid));
        }
    }

    /// Once until there are samples again.
    fn warn_why_empty(&mut self, quality: Option<&QualityRecord>) {
        let why = quality.and_then(QualityRecord::without_samples_clause);
        if let Some(why) = why.filter(|_| !self.is_reported) {
            self.is_reported = true;
            terminal::warn(&format!(
                "VM {}: no samples to send: {why}",
                self.target.pid
            ));
        }
    }

    fn begin_next(&mut self) {
        self.begun = Instant::now();
        self.began_unix_ns = unix_ns();
    }
}

fn unix_ns() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| {
        u64::try_from(since.as_nanos()).unwrap_or(u64::MAX)
    })
}

/// The progress line, and warnings when something new goes wrong.
struct ProgressReport {
    line: ProgressLine,
    at: Option<Instant>,
    trouble: String,
}

impl ProgressReport {
    fn new() -> Self {
        Self {
            line: ProgressLine::new(),
            at: None,
            trouble: String::new(),
        }
    }

    fn show(&mut self, job: &Job<'_>) {
        if self.at.is_some_and(|at| at.elapsed() < REPORT_EACH) {
            return;
        }
        self.at = Some(Instant::now());
        let tally = job.pusher.tally();
        if tally.trouble != self.trouble {
            self.line.clear();
            match tally.trouble.is_empty() {
                true => terminal::warn("the store is back"),
                false => terminal::warn(&tally.trouble),
            }
            self.trouble.clone_from(&tally.trouble);
        }
        let vms = job.vms.load(Ordering::Relaxed);
        self.line.show(&format!(
            "{} so far, {}, Ctrl-C to end",
            counted(vms, "VM"),
            shown(&tally)
        ));
    }
}

fn shown(tally: &Tally) -> String {
    let mut text = format!("{} sent", counted(tally.sent, "profile"));
    if tally.sent_late > 0 {
        text += &format!(" ({} of them late)", tally.sent_late);
    }
    for (count, what) in [
        (tally.waiting, "wait"),
        (tally.dropped_for_room, "dropped for lack of room"),
        (tally.dropped_too_old, "dropped as too old"),
        (tally.dropped_refused, "dropped as the store refused them"),
        (tally.dropped_unkept, "dropped as they could not be kept"),
    ] {
        if count > 0 {
            text += &format!(", {count} {what}");
        }
    }
    text
}

fn print(arguments: &Record, summary: &Summary<'_>) -> Result<(), Failure> {
    if arguments.json {
        return print_json(summary);
    }
    print_line(&format!(
        "{} of {}: {}",
        counted(summary.samples, "sample"),
        counted(summary.vms, "VM"),
        shown(summary.profiles)
    ))?;
    if summary.profiles.waiting > 0 {
        let folder = summary.buffer.display();
        print_line(&format!(
            "the waiting profiles are in {folder}; the next run sends them"
        ))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dropped_profiles_are_counted() {
        let tally = Tally {
            sent: 3,
            sent_late: 1,
            dropped_for_room: 2,
            waiting: 4,
            ..Tally::default()
        };
        assert_eq!(
            shown(&tally),
            "3 profiles sent (1 of them late), 4 wait, 2 dropped for lack of room"
        );
    }
}
