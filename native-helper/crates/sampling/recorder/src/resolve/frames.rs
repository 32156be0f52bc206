//! Functions and locations of one capture, and the class of a stack.

use std::collections::HashMap;

use capture::classify::{RunContext, classify};
use capture::marks::{Mark, Reloaded};
use capture::reader::FunctionView;
use capture::sample::{ERLANG_OBJECT, FrameKind, FunctionFacts, SampleClass};
use capture::writer::{CaptureWriter, LocationId};
use vm_code::code_map::CodeLocation;
use vm_code::generations::{Doubt, Located};
use vm_code::range_names::RangeName;

/// Stacks whose class is remembered; beyond that all are forgotten and learnt again.
const MAX_CLASSES: usize = 50_000;

/// One named frame of a stack.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Frame {
    /// Where, in the capture's tables.
    pub location: LocationId,
    /// Kind of code.
    pub kind: FrameKind,
    /// Whether a function is known; and if not, whether at least its bounds are.
    pub naming: Naming,
    /// The compiler put the function into the one below it, as debug information shows.
    pub is_inlined: bool,
}

/// How well a frame is named.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Naming {
    /// By a name.
    Named,
    /// The bounds are known, the name was stripped.
    Unnamed,
    /// Nothing is known.
    Unresolved,
    /// An Erlang function that nothing shows.
    UnknownFunction,
    /// It may be of one generation of a module or of another.
    Reloaded(Reloaded),
}

/// The capture's functions, kept to classify stacks.
#[derive(Debug)]
pub struct FrameTable {
    /// The capture.
    pub writer: CaptureWriter,
    facts: HashMap<LocationId, (FunctionFacts, u32)>,
    marks: HashMap<Mark, Frame>,
    classes: HashMap<Box<[LocationId]>, [Option<SampleClass>; 4]>,
}

impl FrameTable {
    /// An empty table for `writer`.
    pub fn new(writer: CaptureWriter) -> Self {
        let (facts, marks, classes) = Default::default();
        Self {
            writer,
            facts,
            marks,
            classes,
        }
    }

    /// The frame for line `line` of a function.
    pub fn frame(&mut self, facts: FunctionFacts, line: u32, naming: Naming) -> Frame {
        let function = self.writer.intern_function(&facts);
        let location = self.writer.intern_location(function, line);
        let kind = facts.kind;
        self.facts.entry(location).or_insert((facts, line));
        Frame {
            location,
            kind,
            naming,
            is_inlined: false,
        }
    }

    /// Kind, name and line of a frame of this table.
    pub fn shown(&self, frame: &Frame) -> (FrameKind, &str, u32) {
        let known = self.facts.get(&frame.location);
        let (name, line) = known.map_or(("", 0), |(facts, line)| (facts.name.as_str(), *line));
        (frame.kind, name, line)
    }

    /// The frame of a mark.
    pub fn mark(&mut self, mark: Mark) -> Frame {
        if let Some(frame) = self.marks.get(&mark) {
            return *frame;
        }
        let frame = self.frame(FunctionFacts::marker(mark.name()), 0, naming_of(mark));
        self.marks.insert(mark, frame);
        frame
    }

    /// The class of a stack of which `leading` are the frames above the Erlang code, leaf first.
    pub fn class_of(&mut self, leading: &[LocationId], context: RunContext) -> SampleClass {
        let slot = match context {
            RunContext::Process => 0,
            RunContext::NoProcess => 1,
            RunContext::Schedules => 2,
            RunContext::Waits => 3,
            RunContext::Port | RunContext::OtherThread => return classify([], context),
        };
        if let Some(Some(class)) = self.classes.get(leading).map(|classes| classes[slot]) {
            return class;
        }
        let views = leading
            .iter()
            .filter_map(|location| self.facts.get(location))
            .map(|(facts, _)| FunctionView::from(facts));
        let class = classify(views, context);
        if self.classes.len() >= MAX_CLASSES {
            self.classes.clear();
        }
        self.classes.entry(leading.into()).or_default()[slot] = Some(class);
        class
    }
}

/// The code that was found at an address, else the mark that stands for it in a stack.
pub fn code_or_mark(located: Located) -> Result<CodeLocation, Mark> {
    match located {
        Located::Known(code) => Ok(code),
        Located::Ambiguous(doubt) => Err(mark_of(doubt)),
        Located::Unknown => Err(Mark::UnknownJit),
    }
}

/// The function of loaded code.
pub fn code_facts(code: &CodeLocation) -> FunctionFacts {
    let (kind, raw_name) = match &code.name {
        RangeName::Fragment(name) => (FrameKind::Fragment, format!("global::{name}")),
        other => (FrameKind::Erlang, other.raw().to_owned()),
    };
    FunctionFacts {
        file: code.file.to_string(),
        head_line: code.head_line,
        ..erlang_facts(kind, code.name.display(), raw_name)
    }
}

/// A function of Erlang code of which nothing but the name is known.
pub fn erlang_facts(kind: FrameKind, name: String, raw_name: String) -> FunctionFacts {
    FunctionFacts {
        name,
        raw_name,
        kind,
        file: String::new(),
        head_line: 0,
        object: ERLANG_OBJECT.to_owned(),
    }
}

/// The mark of code that is in doubt.
fn mark_of(doubt: Doubt) -> Mark {
    Mark::Reloaded(match doubt {
        Doubt::BetweenReadings => Reloaded::BetweenReadings,
        Doubt::JustPurged => Reloaded::JustPurged,
        Doubt::Ending => Reloaded::Ending,
        Doubt::BeforeReadings => Reloaded::BeforeReadings,
    })
}

/// How well a frame is named that a mark stands for.
fn naming_of(mark: Mark) -> Naming {
    match mark {
        Mark::UnknownJit | Mark::UnknownCode => Naming::Unresolved,
        Mark::UnknownFunction => Naming::UnknownFunction,
        Mark::Reloaded(reason) => Naming::Reloaded(reason),
        _ => Naming::Named,
    }
}
