//! Texts that many processes have, each once, and places in code.

use std::rc::Rc;

use attach::AttachedVm;
use process_list::Place;
use shared_map::{HashMap, HashSet};

use crate::processes::{Where, located};

/// Places in code that are remembered: processes wait in some hundred of them.
const MOST_PLACES: usize = 100_000;

/// Texts, each once.
#[derive(Debug, Default)]
pub(super) struct Texts(HashSet<Rc<str>>);

impl Texts {
    pub fn shared(&mut self, text: &str) -> Rc<str> {
        if let Some(known) = self.0.get(text) {
            return Rc::clone(known);
        }
        let text: Rc<str> = text.into();
        self.0.insert(Rc::clone(&text));
        text
    }

    pub fn shared_if_any(&mut self, text: Option<&str>) -> Option<Rc<str>> {
        text.map(|text| self.shared(text))
    }

    pub fn forget_unused(&mut self) {
        self.0.retain(|text| Rc::strong_count(text) > 1);
    }
}

/// The meaning of a program counter.
#[derive(Debug, Clone)]
pub(super) enum Spot {
    /// It is there.
    Here(Place),
    /// The process notes where it is.
    Noted,
}

/// The meaning of program counters, as long as no code is loaded.
#[derive(Debug, Default)]
pub(super) struct Places(HashMap<u64, Spot>);

impl Places {
    pub fn at(&mut self, vm: &AttachedVm, i: u64, texts: &mut Texts) -> Spot {
        if let Some(known) = self.0.get(&i) {
            return known.clone();
        }
        let spot = match located(vm, i) {
            Where::Noted => Spot::Noted,
            Where::Unknown => Spot::Here(Place::default()),
            Where::Here(place) => Spot::Here(Place {
                function: texts.shared_if_any(place.function.as_deref()),
                file: texts.shared_if_any(place.file.as_deref()),
                line: place.line,
            }),
        };
        if self.0.len() >= MOST_PLACES {
            self.forget();
        }
        self.0.insert(i, spot.clone());
        spot
    }

    /// Code was loaded: a place may belong to other code now.
    pub fn forget(&mut self) {
        self.0.clear();
    }
}
