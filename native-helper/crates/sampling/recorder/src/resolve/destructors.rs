//! Whose destructor a scheduler calls: the type of resources, by the functions of a C stack.

use std::collections::HashSet;

use vm_tables::resource_types::{ResourceType, type_of};

use super::identity::NAME_HOLDS_NS;

/// Types of resources that have destructors.
#[derive(Debug, Default)]
pub struct Types {
    all: Vec<ResourceType>,
    /// Where the destructors start: each function of each stack is looked for.
    starts: HashSet<u64>,
}

impl Types {
    fn of(all: Vec<ResourceType>) -> Self {
        let starts = all.iter().map(|known| known.destructor).collect();
        Self { all, starts }
    }

    /// There are none.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }
}

/// The types of resources of the VM that have destructors. Libraries make more at any time, and take others over.
#[derive(Debug, Default)]
pub struct Destructors {
    types: Types,
    read_ns: Option<u64>,
}

impl Destructors {
    /// The types as of a sample. `read` returns those of the VM, `None` if it is not known where they are: then they are
    /// not looked for again.
    pub fn types(
        &mut self,
        time_ns: u64,
        read: impl FnOnce() -> Option<Vec<ResourceType>>,
    ) -> &Types {
        let is_old = |read_ns| time_ns.saturating_sub(read_ns) >= NAME_HOLDS_NS;
        if self.read_ns.is_none_or(is_old) {
            let read = read();
            self.read_ns = Some(if read.is_some() { time_ns } else { u64::MAX });
            self.types = Types::of(read.unwrap_or_default());
        }
        &self.types
    }
}

/// A function on a C stack.
#[derive(Debug, Clone, Copy)]
pub struct Call {
    /// Where it starts, if that is known.
    pub start: Option<u64>,
    /// It is of a library that the VM loaded as NIFs or as a driver.
    pub is_of_library: bool,
    /// The emulator has called it.
    pub is_by_emulator: bool,
}

/// The type whose destructor the emulator has called, by the calls of a stack, the outermost first. The first one of a
/// NIF library, or of any destructor, decides: what that calls is its own work. Not all destructors are functions of a
/// NIF library: those of NIFs that are linked with the emulator are its own functions, and a library may have a
/// function of another one as its destructor.
pub fn destructor_called(
    mut calls: impl Iterator<Item = Call>,
    types: &Types,
) -> Option<&ResourceType> {
    let is_destructor = |start: u64| types.starts.contains(&start);
    let first = calls.find(|call| call.is_of_library || call.start.is_some_and(is_destructor))?;
    type_of(&types.all, first.start.filter(|_| first.is_by_emulator)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn types(names: &[(&str, u64)]) -> Vec<ResourceType> {
        let made = names.iter().map(|(name, destructor)| ResourceType {
            name: (*name).to_owned(),
            destructor: *destructor,
        });
        made.collect()
    }

    #[test]
    fn types_are_read_again_after_a_second_if_it_is_known_where_they_are() {
        let mut known = Destructors::default();
        let mut at = |time_ns, read: Option<Vec<ResourceType>>| {
            let found = known.types(time_ns, || read).all.first();
            found.map(|found| found.name.clone())
        };
        assert_eq!(at(5, Some(vec![])), None);
        let one = || Some(types(&[("img:png", 0x1000)]));
        assert_eq!(at(NAME_HOLDS_NS + 4, one()), None);
        assert_eq!(at(NAME_HOLDS_NS + 5, one()).unwrap(), "img:png");
        let other = || Some(types(&[("img:jpg", 0x1000)]));
        assert_eq!(at(2 * NAME_HOLDS_NS + 4, other()).unwrap(), "img:png");
        assert_eq!(at(2 * NAME_HOLDS_NS + 5, other()).unwrap(), "img:jpg");
        assert_eq!(at(4 * NAME_HOLDS_NS, None), None);
        assert_eq!(at(u64::MAX, one()), None);
    }

    const OWN: u64 = 0x1000;
    const SHARED: u64 = 0x2000;
    const LINKED: u64 = 0x3000;
    const OTHER: u64 = 0x4000;

    fn call(start: u64) -> Call {
        Call {
            start: Some(start),
            is_of_library: false,
            is_by_emulator: true,
        }
    }

    fn of_library(start: u64) -> Call {
        Call {
            is_of_library: true,
            ..call(start)
        }
    }

    fn by_another(call: Call) -> Call {
        Call {
            is_by_emulator: false,
            ..call
        }
    }

    fn found(outermost_first: &[Call]) -> Option<String> {
        let types = Types::of(types(&[
            ("img:png", OWN),
            ("img:gif", SHARED),
            ("img:jpg", SHARED),
            ("zlib:gc_zlib", LINKED),
        ]));
        let found = destructor_called(outermost_first.iter().copied(), &types);
        found.map(|found| found.name.clone())
    }

    #[test]
    fn a_destructor_is_of_a_library_of_the_emulator_or_of_a_library_that_is_used() {
        let in_emulator = [call(0x10), call(0x20)];
        let below = |rest: &[Call]| found(&[&in_emulator, rest].concat());
        assert_eq!(below(&[]), None);
        assert_eq!(below(&[of_library(OWN)]).unwrap(), "img:png");
        // The emulator's own, that frees its memory; and one without `nif_init`, that calls back.
        assert_eq!(below(&[call(LINKED), call(0x30)]).unwrap(), "zlib:gc_zlib");
        let calls_back = [call(OWN), by_another(of_library(OTHER))];
        assert_eq!(below(&calls_back).unwrap(), "img:png");
    }

    #[test]
    fn what_a_destructor_or_another_callback_calls_is_its_own_work() {
        // The callback of a library that drops the last reference to a resource.
        assert_eq!(found(&[of_library(OTHER), call(LINKED)]), None);
        assert_eq!(found(&[call(SHARED), call(LINKED)]), None, "of two types");
        assert_eq!(found(&[by_another(call(LINKED)), call(OWN)]), None);
        let unknown = Call {
            start: None,
            ..of_library(0)
        };
        assert_eq!(found(&[unknown, call(OWN)]), None);
    }
}
