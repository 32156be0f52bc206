//! The stacks of both sides, with functions that have one name on both: that of the newer side.

use std::collections::HashMap;

use capture::reader::{Capture, Frame, FunctionIndex};
use capture::sample::FrameKind;
use capture::unnamed::{Surroundings, UnnamedCode};

use crate::answer::Comparison;
use crate::comparability::normalisation;
use crate::counts::{Counting, mean_of_capture, sample_seconds, weighed};
use crate::measure::Measure;
use crate::side::Side;

/// Position of a name in [`SideStacks::names`].
pub type NameId = u32;

/// One distinct stack of a capture that has busy samples.
#[derive(Debug, Clone)]
pub struct CountedStack {
    /// Outermost first; a function that calls itself is there once.
    pub frames: Vec<NameId>,
    pub is_new: bool,
    /// Samples, weighed by what one of them stands for.
    pub weight: f64,
    /// By their weights.
    pub samples: f64,
    /// Sum of the squares of the weights; as many where all have one weight.
    pub squares: f64,
}

/// The stacks of two sides.
#[derive(Debug, Default)]
pub struct SideStacks {
    pub names: Vec<String>,
    pub stacks: Vec<CountedStack>,
    ids: HashMap<String, NameId>,
}

impl SideStacks {
    /// As the comparison counts: without idle time.
    pub fn of(base: &Side<'_>, new: &Side<'_>, comparison: &Comparison) -> Self {
        let renamed: HashMap<&str, &str> = comparison
            .functions
            .iter()
            .filter_map(|row| Some((row.base_function.as_deref()?, row.function.as_str())))
            .collect();
        let none = HashMap::new();
        let counting = normalisation(base, new);
        let mut all = Self::default();
        for (side, renamed, is_new) in [(base, &renamed, false), (new, &none, true)] {
            for given in &side.captures {
                let mut naming = Naming {
                    capture: given.capture,
                    unnamed: UnnamedCode::of(given.capture),
                    renamed,
                    counting,
                    functions: HashMap::new(),
                    surroundings: HashMap::new(),
                };
                all.add(&mut naming, is_new, comparison.measure);
            }
        }
        all
    }

    fn add(&mut self, naming: &mut Naming<'_>, is_new: bool, measure: Measure) {
        let capture = naming.capture;
        let per_sample = match measure {
            Measure::Share => 1.0,
            Measure::Cpu | Measure::Work => sample_seconds(capture),
        };
        let mut counts = vec![(0.0, 0.0); capture.stack_count()];
        let mean_ns = mean_of_capture(capture);
        for sample in capture.samples() {
            let counts_as_work =
                naming.counting.ignores_classes || capture.labels(sample.labels).is_busy();
            if counts_as_work && let Some(count) = counts.get_mut(sample.stack.as_usize()) {
                let (sum, squares) = weighed((sample.count, sample.value), mean_ns);
                count.0 += sum;
                count.1 += squares;
            }
        }
        for (stack, (count, squares)) in capture.stack_indices().zip(counts) {
            if count <= 0.0 {
                continue;
            }
            let frames: Vec<Frame> = capture.frames(stack).collect();
            let counted = CountedStack {
                frames: naming.names(&frames, self),
                is_new,
                weight: count * per_sample,
                samples: count,
                squares,
            };
            self.stacks.push(counted);
        }
    }

    fn id(&mut self, name: &str) -> NameId {
        if let Some(id) = self.ids.get(name) {
            return *id;
        }
        let id = self.names.len() as NameId;
        self.names.push(name.to_owned());
        self.ids.insert(name.to_owned(), id);
        id
    }
}

/// The names of the functions of one capture.
struct Naming<'a> {
    capture: &'a Capture,
    unnamed: UnnamedCode,
    renamed: &'a HashMap<&'a str, &'a str>,
    counting: Counting,
    functions: HashMap<FunctionIndex, NameId>,
    surroundings: HashMap<Surroundings, NameId>,
}

impl Naming<'_> {
    /// Of frames with the leaf first: names with the outermost first.
    fn names(&mut self, frames: &[Frame], all: &mut SideStacks) -> Vec<NameId> {
        let surroundings = self.unnamed.surroundings(frames);
        let named = frames.iter().zip(surroundings).rev();
        let mut ids: Vec<NameId> = named
            .map(|(frame, surroundings)| match surroundings {
                Some(inside) => self.unnamed_code(inside, all),
                None => self.function(frame.function, all),
            })
            .collect();
        if ids.is_empty() {
            ids.push(all.id("[no stack]"));
        }
        ids.dedup();
        ids
    }

    fn function(&mut self, index: FunctionIndex, all: &mut SideStacks) -> NameId {
        if let Some(id) = self.functions.get(&index) {
            return *id;
        }
        let view = self.capture.function(index);
        let id = match self.counting.merges_kernel && view.kind == FrameKind::Kernel {
            true => all.id("[kernel]"),
            false => all.id(self.newer_name(view.name)),
        };
        self.functions.insert(index, id);
        id
    }

    fn unnamed_code(&mut self, inside: Surroundings, all: &mut SideStacks) -> NameId {
        if let Some(id) = self.surroundings.get(&inside) {
            return *id;
        }
        let name = inside.text(self.capture);
        let id = all.id(self.newer_name(&name));
        self.surroundings.insert(inside, id);
        id
    }

    fn newer_name<'n>(&'n self, name: &'n str) -> &'n str {
        self.renamed.get(name).copied().unwrap_or(name)
    }
}
