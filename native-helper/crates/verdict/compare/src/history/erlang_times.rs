//! The functions of Erlang that a capture has most of, and the builds of their modules.

use std::collections::BTreeMap;

use capture::reader::{Capture, FunctionIndex};
use capture::sample::FrameKind;
use serde::{Deserialize, Serialize};
use shared_sort::SharedSort;

use crate::counts::{mean_of_capture, weighed};
use crate::erlang_name::ErlangName;

/// Functions that are kept of a capture: those with most samples have most of its time.
const MOST_FUNCTIONS: usize = 40;

/// The functions of Erlang that a capture has most of, with the builds of their modules.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
pub struct ErlangTimes {
    /// Samples in functions of Erlang themselves, each by its weight.
    pub samples: f64,
    /// Modules of the functions and of their callers, with the MD5 of each; empty where that is not known.
    pub modules: Vec<(String, String)>,
    /// The functions.
    pub functions: Vec<FunctionTime>,
}

/// The samples of a function.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
pub struct FunctionTime {
    /// As the VM spells it.
    pub name: String,
    /// Samples in itself.
    pub samples: f64,
    /// Its module, by its position.
    pub module: u32,
    /// The modules of all that it was called by.
    pub callers: Vec<u32>,
}

impl ErlangTimes {
    /// Of a capture.
    pub fn of(capture: &Capture) -> Self {
        let is_busy = |labels| capture.labels(labels).is_busy();
        let is_busy: Vec<bool> = capture.label_set_indices().map(is_busy).collect();
        let mean_ns = mean_of_capture(capture);
        let mut of_stacks: Vec<f64> = vec![0.0; capture.stack_count()];
        for sample in capture.samples() {
            if is_busy.get(sample.labels.as_usize()) == Some(&true)
                && let Some(sum) = of_stacks.get_mut(sample.stack.as_usize())
            {
                *sum += weighed((sample.count, sample.value), mean_ns).0;
            }
        }
        let is_erlang = |index| capture.function(index).kind == FrameKind::Erlang;
        let mut of_functions: Vec<f64> = vec![0.0; capture.function_count()];
        for (stack, samples) in capture.stack_indices().zip(&of_stacks) {
            let leaf = capture.frames(stack).next().map(|frame| frame.function);
            let leaf = leaf.filter(|leaf| is_erlang(*leaf));
            if let Some(sum) = leaf.and_then(|leaf| of_functions.get_mut(leaf.as_usize())) {
                *sum += *samples;
            }
        }
        let mut most: Vec<(f64, FunctionIndex)> = of_functions
            .iter()
            .copied()
            .zip(capture.function_indices())
            .filter(|(samples, _)| *samples > 0.0)
            .collect();
        most.shared_sort_by(|(a, one), (b, other)| b.total_cmp(a).then_with(|| one.cmp(other)));
        most.truncate(MOST_FUNCTIONS);
        let mut modules = Modules::of(capture);
        let place_of = |leaf: FunctionIndex| most.iter().position(|(_, index)| *index == leaf);
        let mut functions: Vec<FunctionTime> = Vec::new();
        for (samples, index) in &most {
            functions.push(FunctionTime {
                name: modules.spelled(*index).to_owned(),
                samples: *samples,
                module: modules.position(*index),
                callers: Vec::new(),
            });
        }
        for (stack, samples) in capture.stack_indices().zip(&of_stacks) {
            let mut frames = capture.frames(stack).map(|frame| frame.function);
            let leaf = frames.next().filter(|_| *samples > 0.0);
            let Some(function) = leaf.and_then(place_of).and_then(|at| functions.get_mut(at))
            else {
                continue;
            };
            let callers = frames.filter(|caller| is_erlang(*caller));
            let known = &mut function.callers;
            known.extend(callers.map(|caller| modules.position(caller)));
            known.sort_unstable();
            known.dedup();
        }
        Self {
            samples: of_functions.iter().sum(),
            modules: modules.list,
            functions,
        }
    }

    /// One of those that are kept.
    pub(super) fn function(&self, name: &str) -> Option<&FunctionTime> {
        self.functions.iter().find(|function| function.name == name)
    }

    /// Name of the module with this position.
    pub(super) fn module(&self, position: u32) -> Option<&str> {
        let (name, _) = self.modules.get(position as usize)?;
        Some(name)
    }
}

/// The modules of a capture, each listed once.
struct Modules<'c> {
    capture: &'c Capture,
    /// By name, of those that were one and the same during the capture.
    md5s: BTreeMap<String, String>,
    list: Vec<(String, String)>,
    /// By function of the capture.
    known: Vec<Option<u32>>,
}

impl<'c> Modules<'c> {
    fn of(capture: &'c Capture) -> Self {
        let mut build = capture.build().unwrap_or_default();
        let replaced = build.replaced;
        build.modules.retain(|module, _| !replaced.contains(module));
        Self {
            capture,
            md5s: build.modules,
            list: Vec::new(),
            known: vec![None; capture.function_count()],
        }
    }

    fn spelled(&self, function: FunctionIndex) -> &'c str {
        let view = self.capture.function(function);
        match view.raw_name.is_empty() {
            true => view.name,
            false => view.raw_name,
        }
    }

    fn position(&mut self, function: FunctionIndex) -> u32 {
        let known = self.known.get(function.as_usize()).copied().flatten();
        if let Some(known) = known {
            return known;
        }
        // Of a name that has none it is not known.
        let name = ErlangName::parse(self.spelled(function)).map_or("", |name| name.module);
        let listed = self.list.iter().position(|(module, _)| module == name);
        let position = listed.unwrap_or_else(|| {
            let md5 = self.md5s.get(name).cloned().unwrap_or_default();
            self.list.push((name.to_owned(), md5));
            self.list.len() - 1
        });
        let position = u32::try_from(position).unwrap_or(u32::MAX);
        if let Some(known) = self.known.get_mut(function.as_usize()) {
            *known = Some(position);
        }
        position
    }
}
