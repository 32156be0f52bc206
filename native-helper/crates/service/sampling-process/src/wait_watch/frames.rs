//! Frames of waiting processes, for a profile and for the protocol.

use std::collections::HashMap;
use std::rc::Rc;

use attach::{AttachedVm, WaitingStack};
use capture::marks::Mark;
use capture::sample::{FrameKind, FunctionFacts};
use process_list::Place;
use profile_builder::{FrameId, ProfileBuilder};
use recorder::resolve::mark_of;
use vm_code::code_map::CodeLocation;
use vm_code::generations::Located;
use vm_code::range_names::RangeName;

use crate::processes::{Where, caller_name, located};

/// Most addresses whose code is remembered.
const MOST_FRAMES: usize = 1 << 20;
/// Reported frames of one stack.
const SHOWN_FRAMES: usize = 64;
const ERLANG_OBJECT: &str = "[erlang]";

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
                    false => erlang(name.to_owned(), name.to_owned(), FrameKind::Erlang),
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
        // A return address belongs to the call just before it.
        let (facts, line) = match vm.code.locate(address.wrapping_sub(u64::from(is_return))) {
            Located::Known(code) => (facts(&code), code.line),
            Located::Ambiguous(doubt) => (FunctionFacts::marker(mark_of(doubt).name()), 0),
            Located::Unknown => (FunctionFacts::marker(Mark::UnknownJit.name()), 0),
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

fn facts(code: &CodeLocation) -> FunctionFacts {
    let (kind, raw_name) = match &code.name {
        RangeName::Fragment(name) => (FrameKind::Fragment, format!("global::{name}")),
        other => (FrameKind::Erlang, other.raw().to_owned()),
    };
    FunctionFacts {
        file: code.file.to_string(),
        head_line: code.head_line,
        ..erlang(code.name.display(), raw_name, kind)
    }
}

fn erlang(name: String, raw_name: String, kind: FrameKind) -> FunctionFacts {
    FunctionFacts {
        name,
        raw_name,
        kind,
        file: String::new(),
        head_line: 0,
        object: ERLANG_OBJECT.to_owned(),
    }
}
