//! Time that is the user's own: a sample counts for the innermost frame that is their code, with
//! everything it called, be it a library, OTP, C code, a collection or the kernel.
//!
//! Code that knows the user's sources decides which functions are theirs; this module only counts.

use std::sync::Arc;

use crate::class_split::marker;
use crate::place::Place;
use crate::reader::{Capture, Frame, FunctionIndex, LabelsView};
use crate::sample::{SampleClass, Trust};

/// The marker in place of the own function of a sample that has none.
pub const NO_OWN_CODE: &str = "[no own code]";

/// Which functions of a capture are the user's own code.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OwnCode {
    functions: Vec<Option<OwnFunction>>,
}

/// A function of the user's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwnFunction {
    /// The function it counts for: itself, or the same one with the file that it was written in.
    /// Code that a macro brought from another file is a function of its own in a capture.
    pub counts_for: FunctionIndex,
    /// Where it was written.
    pub source: OwnSource,
}

/// Where an own function was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OwnSource {
    /// In this file of the user's, in which its lines are.
    File(Arc<str>),
    /// In this file of the user's; its lines are those of another.
    LinesElsewhere(Arc<str>),
    /// Several files of the user's may be meant by the one that the capture names.
    AsReported,
}

impl OwnCode {
    /// By the index of each function of the capture; `None` for functions that are not the user's.
    pub fn new(functions: Vec<Option<OwnFunction>>) -> Self {
        Self { functions }
    }

    /// Whether nothing is the user's own.
    pub fn is_empty(&self) -> bool {
        self.functions.iter().all(Option::is_none)
    }

    pub(crate) fn get(&self, function: FunctionIndex) -> Option<&OwnFunction> {
        self.functions.get(function.as_usize())?.as_ref()
    }

    /// The user's file that a function was written in, when it is one of their files.
    pub fn file(&self, function: FunctionIndex) -> Option<&str> {
        match &self.get(function)?.source {
            OwnSource::File(file) | OwnSource::LinesElsewhere(file) => Some(file),
            OwnSource::AsReported => None,
        }
    }

    /// Where the code of a frame is written: as the user has it when it is their own, else as the VM reports it.
    /// The user's file has a line only if the line is one of that file.
    pub fn place<'a>(&'a self, capture: &'a Capture, frame: Frame) -> Place<'a> {
        self.at_home(frame.function, capture.place(frame))
    }

    /// The same of the head of a function.
    pub fn head<'a>(&'a self, capture: &'a Capture, function: FunctionIndex) -> Place<'a> {
        self.at_home(function, capture.function(function).head())
    }

    fn at_home<'a>(&'a self, function: FunctionIndex, reported: Place<'a>) -> Place<'a> {
        match self.get(function).map(|own| &own.source) {
            Some(OwnSource::File(file)) => reported.of_file_at(file),
            Some(OwnSource::LinesElsewhere(file)) => Place::somewhere_in(file),
            Some(OwnSource::AsReported) | None => reported,
        }
    }

    /// The function that `function` counts for.
    pub fn counts_for(&self, function: FunctionIndex) -> FunctionIndex {
        self.get(function).map_or(function, |own| own.counts_for)
    }

    /// The frame that a sample counts for, else the marker in its place.
    pub fn owner(&self, labels: &LabelsView<'_>, frames: &[Frame]) -> Result<Frame, &'static str> {
        match (labels.trust, labels.class) {
            // Between the C code and the deep frames may be any function.
            (Some(Trust::Bracketed | Trust::Unproven), _)
            | (_, Some(SampleClass::Idle | SampleClass::BusyWait)) => Err(match labels.trust {
                Some(Trust::Bracketed) => "[bracketed]",
                _ => marker(labels),
            }),
            _ => frames
                .iter()
                .find(|frame| self.get(frame.function).is_some())
                .copied()
                .ok_or(NO_OWN_CODE),
        }
    }
}
