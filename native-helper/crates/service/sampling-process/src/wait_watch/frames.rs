//! Frames of waiting processes, for a profile and for the protocol.

use std::rc::Rc;

use attach::{AttachedVm, WaitingStack};
use capture::marks::Mark;
use capture::sample::{FrameKind, FunctionFacts};
use process_list::Place;
use profile_builder::{FrameId, ProfileBuilder};
use recorder::resolve::{code_facts, code_or_mark, erlang_facts};
use shared_map::HashMap;

use crate::processes::{Where, caller, caller_name, located};

/// Most addresses whose code is remembered.
const MOST_FRAMES: usize = 1 << 20;
/// Reported frames of one stack.
const SHOWN_FRAMES: usize = 64;

/// Frames of a profile by address, and whether something was called there.
#[derive(Default)]
pub(super) struct Frames {
    by_address: HashMap<(u64, bool), FrameId>,
}

impl Frames {
    /// Other code may be there now.
    pub fn forget(&mut self) {
        self.by_address.clear();
    }

    /// The frame of an address at which something was called.
    pub fn caller(
        &mut self,
        profile: &mut ProfileBuilder,
        vm: &AttachedVm,
        address: u64,
    ) -> FrameId {
        self.frame(profile, vm, address, true)
    }

    /// The frame where a process continues.
    pub fn innermost(
        &mut self,
        profile: &mut ProfileBuilder,
        vm: &AttachedVm,
        i: u64,
        noted: &Place,
    ) -> FrameId {
        match located(vm, i) {
            Where::Here(_) => self.frame(profile, vm, i, false),
            Where::Noted | Where::Unknown => {
                let name = noted
                    .function
                    .as_deref()
                    .unwrap_or(Mark::UnknownCode.name());
                let facts = match name.starts_with('[') {
                    true => FunctionFacts::marker(name),
                    false => erlang_facts(FrameKind::Erlang, name.to_owned(), name.to_owned()),
                };
                profile.frame(facts, 0)
            }
        }
    }

    fn frame(
        &mut self,
        profile: &mut ProfileBuilder,
        vm: &AttachedVm,
        address: u64,
        is_return: bool,
    ) -> FrameId {
        if let Some(known) = self.by_address.get(&(address, is_return)) {
            return *known;
        }
        let found = match is_return {
            true => caller(vm, address),
            false => code_or_mark(vm.code.locate(address)),
        };
        let (facts, line) = match found {
            Ok(code) => (code_facts(&code), code.line),
            Err(mark) => (FunctionFacts::marker(mark.name()), 0),
        };
        let frame = profile.frame(facts, line);
        if self.by_address.len() < MOST_FRAMES {
            self.by_address.insert((address, is_return), frame);
        }
        frame
    }
}

/// Names of the frames of a stack, innermost first.
pub(super) fn frame_names(vm: &AttachedVm, stack: &WaitingStack, noted: &Place) -> Vec<Rc<str>> {
    let innermost = match located(vm, stack.goes_on_at) {
        Where::Here(place) => place.function.map(Rc::from),
        Where::Noted | Where::Unknown => noted.function.clone(),
    };
    let innermost = innermost.unwrap_or_else(|| Mark::UnknownCode.name().into());
    let callers = stack.callers.iter().take(SHOWN_FRAMES - 1);
    let callers = callers.map(|address| Rc::from(caller_name(vm, *address)));
    std::iter::once(innermost).chain(callers).collect()
}
