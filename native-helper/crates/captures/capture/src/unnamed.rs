//! C functions whose names were stripped from their object: `beam.smp!fn@0x1a2b30`.
//!
//! The address of such a function is of no use to a reader; the nearest function with a name that
//! it was called from is, and differs from sample to sample.

use shared_map::HashMap;

use crate::reader::{Capture, Frame, FunctionIndex, FunctionView};
use crate::sample::FrameKind;

/// The surroundings that unnamed code was called from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Surroundings {
    /// The nearest function with a name.
    Function(FunctionIndex),
    /// No function of the stack has a name: the object that this one is in.
    Object(FunctionIndex),
}

/// The unnamed code of a capture.
#[derive(Debug)]
pub struct UnnamedCode {
    functions: Vec<Naming>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Naming {
    /// Its name, or that of a function called the same that stands for all of them.
    Named(FunctionIndex),
    /// Unnamed, and one of the same object that stands for all of them.
    Unnamed(FunctionIndex),
    /// Code does not count as inside these: markers and shared fragments.
    Other,
}

impl UnnamedCode {
    /// Looks at all functions of a capture.
    pub fn of(capture: &Capture) -> Self {
        let mut by_name: HashMap<&str, FunctionIndex> = HashMap::new();
        let mut by_object: HashMap<&str, FunctionIndex> = HashMap::new();
        let naming = |index| {
            let view = capture.function(index);
            if is_unnamed(&view) {
                return Naming::Unnamed(*by_object.entry(object_of(&view)).or_insert(index));
            }
            match view.kind {
                FrameKind::Marker | FrameKind::Fragment => Naming::Other,
                _ => Naming::Named(*by_name.entry(view.name).or_insert(index)),
            }
        };
        let functions = capture.function_indices().map(naming).collect();
        Self { functions }
    }

    /// Whether the bounds of a function are known, but not its name.
    pub fn is_unnamed(&self, function: FunctionIndex) -> bool {
        matches!(self.naming(function), Naming::Unnamed(_))
    }

    /// Whether it is code with a name.
    fn is_named(&self, function: FunctionIndex) -> bool {
        matches!(self.naming(function), Naming::Named(_))
    }

    /// For each frame, leaf first, its surroundings; `None` for code that has a name.
    pub fn surroundings(&self, frames: &[Frame]) -> Vec<Option<Surroundings>> {
        let mut nearest = None;
        let outermost_first = frames.iter().rev().map(|frame| {
            match self.naming(frame.function) {
                Naming::Named(function) => nearest = Some(function),
                Naming::Unnamed(of_object) => {
                    return Some(
                        nearest.map_or(Surroundings::Object(of_object), Surroundings::Function),
                    );
                }
                Naming::Other => {}
            }
            None
        });
        let mut surroundings: Vec<_> = outermost_first.collect();
        surroundings.reverse();
        surroundings
    }

    fn naming(&self, function: FunctionIndex) -> Naming {
        let naming = self.functions.get(function.as_usize());
        naming.copied().unwrap_or(Naming::Other)
    }
}

impl Surroundings {
    /// `(inside erts_garbage_collect_nobump)`.
    pub fn text(self, capture: &Capture) -> String {
        match self {
            Self::Function(named) => format!("(inside {})", capture.function(named).name),
            Self::Object(unnamed) => {
                let view = capture.function(unnamed);
                format!("(inside {})", object_of(&view))
            }
        }
    }
}

/// For leaves without a name: how often which named function was the nearest below them.
#[derive(Debug, Default)]
pub(crate) struct NamedCallers(HashMap<FunctionIndex, HashMap<FunctionIndex, u64>>);

impl NamedCallers {
    pub(crate) fn add(&mut self, unnamed: &UnnamedCode, frames: &[Frame], count: u64) {
        let Some((leaf, callers)) = frames.split_first() else {
            return;
        };
        if !unnamed.is_unnamed(leaf.function) {
            return;
        }
        let mut callers = callers.iter();
        if let Some(named) = callers.find(|frame| unnamed.is_named(frame.function)) {
            let counts = self.0.entry(leaf.function).or_default();
            let count_of_named = counts.entry(named.function).or_default();
            *count_of_named = count_of_named.saturating_add(count);
        }
    }

    pub(crate) fn most_frequent(
        &self,
        capture: &Capture,
        function: FunctionIndex,
    ) -> Option<String> {
        let (caller, _) = self
            .0
            .get(&function)?
            .iter()
            .max_by_key(|(caller, count)| (**count, std::cmp::Reverse(caller.as_usize())))?;
        Some(capture.function(*caller).name.to_owned())
    }
}

/// The object of unnamed code; its name contains it, too, where another tool keeps names alone.
fn object_of<'v>(view: &FunctionView<'v>) -> &'v str {
    match view.object {
        "" => view.name.split('!').next().unwrap_or(view.name),
        object => object,
    }
}

/// A function whose bounds are known but whose name was stripped.
fn is_unnamed(function: &FunctionView<'_>) -> bool {
    function.name.contains("!fn@")
}
