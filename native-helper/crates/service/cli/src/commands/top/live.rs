//! `top --live`: the table of a VM that runs, anew each second.

use std::cell::RefCell;
use std::io;
use std::path::Path;
use std::time::Duration;

use capture::class_split::class_split;
use capture::own::OwnCode;
use capture::percent_of::SAMPLES;
use capture::quality::QualityRecord;
use capture::reader::Capture;
use capture::top::{SortBy, Top, TopOptions, top};
use diagnose::refusal::Refusal;
use own_code::{SourceFolder, find};
use profiling_service::sampling_loop::{self, Broken, Ended};
use sampling_process::DistantRecording;

use super::live_view::{LiveView, Order, Pressed};
use super::percent_of;
use super::rows::{class_line, own_share_line};
use super::window_quality::WindowQuality;
use crate::arguments;
use crate::attaching::{attach_with_names, warn_of_standstill};
use crate::commands::record::{quality_lines, settings};
use crate::commands::source::{as_pid, sources_of_vm};
use crate::failure::{Exit, Failure};
use crate::schedulers_line::schedulers_lines_if_known;
use crate::stop_flag::StopFlag;
use crate::terminal::print_lines;
use crate::terminal::screen::{Screen, Terminal};

/// Runs it.
pub fn run(
    arguments: &arguments::Top,
    sort: SortBy,
    own: Option<(&Path, SourceFolder)>,
) -> Result<(), Failure> {
    let Some(pid) = as_pid(&arguments.source) else {
        let what = format!("--live cannot show {}", arguments.source);
        let why = "a capture that is complete does not change";
        let fix = "give the process id of a VM, or leave --live out";
        return Err(Failure::new(Exit::Usage, what, why, fix));
    };
    if !sources_of_vm(&arguments.which)?.cpu {
        let requested = arguments.which.sample_type.as_deref().unwrap_or_default();
        let why = "it shows processor time";
        let fix = "leave --live or --type out";
        return Err(Failure::new(
            Exit::Usage,
            format!("--live cannot show {requested}"),
            why,
            fix,
        ));
    }
    if !Screen::is_there() {
        let why = "stdin or stdout is none, or TERM is unset or dumb";
        let fix = "run it in a terminal, or leave --live out";
        return Err(Failure::new(
            Exit::Usage,
            "--live needs a terminal",
            why,
            fix,
        ));
    }
    let stop = StopFlag::install()?;
    warn_of_standstill(pid);
    let (sampler, _) = attach_with_names(pid, &arguments.sampling.debug_files, &stop)?;
    let terminal = Terminal::open()?;
    let mut recording = DistantRecording::begin(sampler, settings(&arguments.sampling))?;
    let live = RefCell::new(Live::new(arguments, sort, own, (terminal, pid))?);
    let ended = sampling_loop::run(
        &mut recording,
        0.0,
        &|| stop.is_raised() || live.borrow_mut().obey_keys() == Pressed::Quit,
        &mut |member, quality, elapsed| live.borrow_mut().add(&member, quality, elapsed),
    );
    let live = live.into_inner();
    drop(live.screen);
    if let Some(error) = live.broken {
        return Err(error.into());
    }
    let ended = ended.map_err(Broken::into_refusal)?;
    if let Some(quality) = &live.quality {
        print_lines(quality_lines(quality))?;
    }
    match ended {
        Ended::Duration | Ended::Stopped => Ok(()),
        Ended::TargetGone => Err(Failure::new(
            Exit::TargetGone,
            diagnose::refusal::what_became_of(pid).english,
            "",
            "`extrospect list` lists the VMs here",
        )),
    }
}

/// The shown table, and its source.
struct Live<'a> {
    screen: Screen,
    view: LiveView,
    arguments: &'a arguments::Top,
    /// The samples of the last seconds.
    capture: Capture,
    /// Of the whole recording.
    quality: Option<QualityRecord>,
    window: WindowQuality,
    pid: u32,
    folder: Option<(&'a Path, SourceFolder)>,
    /// The own code among so many functions.
    own: Option<(usize, OwnCode)>,
    answer: Option<Answer>,
    /// The terminal, when it cannot be written any more.
    broken: Option<io::Error>,
}

/// The latest count.
struct Answer {
    above: Vec<String>,
    top: Top,
    /// The samples that are 100 %.
    whole: u64,
}

impl<'a> Live<'a> {
    fn new(
        arguments: &'a arguments::Top,
        sort: SortBy,
        folder: Option<(&'a Path, SourceFolder)>,
        (terminal, pid): (Terminal, u32),
    ) -> io::Result<Self> {
        let order = match sort {
            SortBy::OwnSamples => Order::Own,
            SortBy::SelfSamples => Order::Itself,
            SortBy::TotalSamples => Order::Total,
        };
        Ok(Self {
            screen: Screen::enter(terminal)?,
            view: LiveView::new(order, folder.is_some(), arguments.rows),
            arguments,
            capture: Capture::empty(),
            quality: None,
            window: WindowQuality::new(arguments.sampling.duration),
            pid,
            folder,
            own: None,
            answer: None,
            broken: None,
        })
    }

    /// Takes the samples since the last time, and shows them.
    fn add(
        &mut self,
        member: &[u8],
        quality: &QualityRecord,
        elapsed: Duration,
    ) -> Result<(), Refusal> {
        self.capture
            .extend(member)
            .map_err(|error| Refusal::from(&error))?;
        let window_s = self.arguments.sampling.duration;
        if window_s > 0.0 {
            let oldest = elapsed.saturating_sub(Duration::from_secs_f64(window_s));
            let oldest_ms = u64::try_from(oldest.as_millis()).unwrap_or(u64::MAX);
            self.capture.forget_samples_before(oldest_ms);
        }
        self.quality = Some(quality.clone());
        let of_window = self.window.add(quality, elapsed);
        self.find_own_code();
        self.count(elapsed, &of_window);
        self.draw();
        Ok(())
    }

    /// The more functions are seen, the more of them may be the user's.
    fn find_own_code(&mut self) {
        let functions = self.capture.function_count();
        let known = self.own.as_ref().map(|(functions, _)| *functions);
        if let Some((_, folder)) = &mut self.folder
            && known != Some(functions)
        {
            // Nothing of it may have run so far.
            let own = find(&self.capture, folder).unwrap_or_default();
            self.own = Some((functions, own));
        }
    }

    fn count(&mut self, elapsed: Duration, quality: &QualityRecord) {
        let split = class_split(&self.capture);
        let percent_of = percent_of(self.arguments).within(&split);
        let whole = percent_of.whole(split.samples, split.busy);
        let options = TopOptions {
            percent_of,
            sort: SortBy::SelfSamples,
            only_erlang: self.arguments.only_erlang,
            own: self.own.as_ref().map(|(_, own)| own),
            with_addresses: self.arguments.addresses,
        };
        let top = top(&self.capture, &options);
        let seconds = elapsed.as_secs_f64();
        let seconds = match self.arguments.sampling.duration {
            window_s if window_s > 0.0 => window_s.min(seconds),
            _ => seconds,
        };
        let source = &self.arguments.source;
        let mut above = vec![
            format!("process {source}, the last {seconds:.0} s"),
            class_line(&split, percent_of, SAMPLES),
        ];
        above.extend(quality.headings());
        if !quality.are_schedulers_known() {
            above.extend(schedulers_lines_if_known(None, self.pid));
        }
        if let Some((folder, _)) = &self.folder {
            above.push(own_share_line(&top, whole, folder));
        }
        self.answer = Some(Answer { above, top, whole });
    }

    /// Does what keys say, and shows it at once.
    fn obey_keys(&mut self) -> Pressed {
        if self.broken.is_some() {
            return Pressed::Quit;
        }
        match self.screen.typed() {
            Ok(typed) if typed.is_empty() => Pressed::Continue,
            Ok(typed) => {
                let pressed = self.view.press(&typed);
                self.draw();
                pressed
            }
            Err(error) => {
                self.broken = Some(error);
                Pressed::Quit
            }
        }
    }

    fn draw(&mut self) {
        let Some(Answer { above, top, whole }) = &self.answer else {
            return;
        };
        let size = self.screen.size();
        let lines = self.view.lines(top, *whole, above, size);
        if let Err(error) = self.screen.draw(&lines, size) {
            self.broken = Some(error);
        }
    }
}
