//! The captures of one side.

use capture::own::OwnCode;
use capture::reader::Capture;
use capture::sample::FrameKind;
use capture::sample_types::CPU;
use capture::work::{NotCounted, WorkDone, work_done};

/// One side: captures of the same program, repetitions of each other.
#[derive(Debug, Clone, Default)]
pub struct Side<'a> {
    /// Its name: a commit, a branch, the name of a file.
    pub name: String,
    /// At least one.
    pub captures: Vec<CaptureToCompare<'a>>,
}

impl Side<'_> {
    /// Whether the sources of a capture differed from its commit.
    pub fn is_uncommitted(&self) -> bool {
        let mut origins = self
            .captures
            .iter()
            .filter_map(|given| given.capture.origin());
        origins.any(|origin| origin.dirty)
    }
}

/// A name for captures that were given one by one.
pub fn name_of_captures(names: &[impl AsRef<str>]) -> String {
    match names {
        [] => String::new(),
        [only] => only.as_ref().to_owned(),
        [first, rest @ ..] => format!("{} and {} more", first.as_ref(), rest.len()),
    }
}

/// The work that all captures of both sides have counted, where that is one and the same.
pub(crate) fn common_work(base: &Side<'_>, new: &Side<'_>) -> Option<String> {
    let mut names = base
        .captures
        .iter()
        .chain(&new.captures)
        .map(|given| Some(given.known_work()?.name));
    let first = names.next()??;
    names
        .all(|name| name.as_deref() == Some(&first))
        .then_some(first)
}

/// A capture with its name and its own code.
#[derive(Debug, Clone)]
pub struct CaptureToCompare<'a> {
    /// Its name in messages.
    pub name: String,
    /// The samples.
    pub capture: &'a Capture,
    /// Which functions are the user's own, when known.
    pub own: Option<&'a OwnCode>,
}

impl CaptureToCompare<'_> {
    /// Its length, seconds; the span of its samples when it has none; 0 when neither is known.
    pub fn seconds(&self) -> f64 {
        let ns = match self.capture.duration_ns() {
            0 => self.last_bucket_ms().saturating_mul(1_000_000),
            ns => ns,
        };
        ns as f64 / 1e9
    }

    /// The work done during the capture; `None` when none was counted.
    pub(crate) fn work(&self) -> Option<Result<WorkDone, NotCounted>> {
        work_done(self.capture)
    }

    /// The same where it can be used: it is a base of processor time.
    pub(crate) fn known_work(&self) -> Option<WorkDone> {
        match self.capture.shown() == CPU {
            true => self.work()?.ok(),
            false => None,
        }
    }

    /// Whether any of its samples has a class.
    pub(crate) fn has_classes(&self) -> bool {
        let mut labels = self.capture.label_set_indices();
        labels.any(|labels| self.capture.labels(labels).class.is_some())
    }

    /// Whether its samples do not separate waiting from work. Where there are none, there is nothing to separate.
    pub(crate) fn lacks_classes(&self) -> bool {
        self.has_samples() && !self.has_classes()
    }

    /// The capture of a VM that did nothing has none.
    pub(crate) fn has_samples(&self) -> bool {
        !self.capture.samples().is_empty()
    }

    /// Whether it distinguishes kernel functions.
    pub(crate) fn has_kernel_functions(&self) -> bool {
        let mut functions = self.capture.function_indices();
        functions.any(|index| {
            let view = self.capture.function(index);
            view.kind == FrameKind::Kernel && view.name != "[kernel]"
        })
    }

    /// The other tool that it is from; empty where that is not known, `None` for a capture of
    /// Extrospect.
    pub(crate) fn other_tool(&self) -> Option<String> {
        match self.capture.import() {
            Some(import) => Some(import.format),
            None => (!self.capture.is_own()).then(String::new),
        }
    }

    pub(crate) fn last_bucket_ms(&self) -> u64 {
        let buckets = self.capture.samples().iter().map(|sample| sample.bucket_ms);
        buckets.max().unwrap_or(0)
    }
}
