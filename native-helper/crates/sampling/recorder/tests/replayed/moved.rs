//! Stacks that a collector has moved down in their heap block before it updates the process, and
//! stacks on top of which an exception was raised: made of recorded samples whose stacks are known.

#![allow(clippy::unwrap_used)]

use crate::replaying::{attach_recorded, read_corpus, resolver_of};
use corpus::ShownStack;
use recorder::read::raw_sample::{RawSampleRef, ReadFlags};
use recorder::resolve::Resolver;
use target_memory::SnapshotMemory;
use vm_layout::{INTERPRETER, ProcessLayout, STATE_GC};
use vm_tables::processes::ProcessFields;

/// One sample in a collector, as captured at it, with parts that can be changed.
#[derive(Clone)]
struct Sample<'a> {
    like: RawSampleRef<'a>,
    layout: ProcessLayout,
    process: Vec<u64>,
    /// The Erlang stack, from `stop` on.
    stack: Vec<u64>,
    /// A length the collector has at hand.
    at_hand: Vec<u64>,
    /// The copied words, and where from.
    copied: (u64, Vec<u64>),
}

impl<'a> Sample<'a> {
    fn of(words: &'a [u64], layout: &ProcessLayout) -> Option<Self> {
        let (like, _) = RawSampleRef::decode(words)?;
        if like.flags.has(ReadFlags::IN_ERLANG) || like.process.is_empty() {
            return None;
        }
        let mut sample = Self {
            like,
            layout: *layout,
            process: like.process.to_vec(),
            stack: Vec::new(),
            at_hand: Vec::new(),
            copied: (like.erlang_top, like.erlang.to_vec()),
        };
        let state = layout.state;
        let bits = u64::from(STATE_GC) << (state % 8 * 8);
        sample.process[state / 8] |= bits;
        // A collection leaves room.
        sample.process[layout.htop / 8] = sample.process[layout.heap / 8];
        let fields = sample.fields();
        let words = (fields.stop..fields.hend).step_by(8);
        sample.stack = words.map_while(|at| like.erlang_word(at)).collect();
        let is_whole = sample.stack.len() as u64 * 8 == fields.hend - fields.stop;
        (is_whole && sample.stack.len() > 2 && fields.is_consistent()).then_some(sample)
    }

    fn fields(&self) -> ProcessFields {
        let bytes: Vec<u8> = self.process.iter().flat_map(|w| w.to_le_bytes()).collect();
        ProcessFields::from_bytes(&self.layout, &bytes).unwrap()
    }

    /// Its stack is now at every one of `ends`, and nothing is left behind the last of them.
    fn moved_to(&self, ends: &[u64]) -> Self {
        let fields = self.fields();
        let mut moved = self.clone();
        let mut words = vec![0; ((fields.hend - fields.htop) / 8) as usize];
        for end in ends {
            let from = ((end - fields.htop) / 8) as usize - self.stack.len();
            words[from..from + self.stack.len()].copy_from_slice(&self.stack);
        }
        moved.copied = (fields.htop, words);
        moved
    }

    fn with(&self, at_hand: &[u64]) -> Self {
        let mut with = self.clone();
        with.at_hand = at_hand.to_vec();
        with
    }

    fn shown(&self, resolver: &mut Resolver<SnapshotMemory>) -> ShownStack {
        let c_stack: Vec<u64> = [self.like.stack, &self.at_hand].concat();
        let mut flags = self.like.flags.0 | ReadFlags::COPIED;
        flags &= !(ReadFlags::LATE_READ | ReadFlags::STACK_CUT | ReadFlags::GUESSED_PROCESS);
        resolver.resolve(&RawSampleRef {
            flags: ReadFlags(flags),
            process: &self.process,
            stack: &c_stack,
            erlang_top: self.copied.0,
            erlang: &self.copied.1,
            ..self.like
        });
        let frames = resolver.last_stack();
        ShownStack {
            frames: frames
                .map(|(kind, name, line)| format!("{} {name}:{line}", kind.as_str()))
                .collect(),
            trust: resolver.last_trust().as_str().to_owned(),
        }
    }
}

/// Runs `check` on every sample in the collector of which the whole stack is known; `check` returns
/// whether it could use the sample.
fn for_each_sample(
    check: impl Fn(&Sample<'_>, &ShownStack, &mut Resolver<SnapshotMemory>) -> bool,
) {
    for recorded in read_corpus().unwrap() {
        let snapshot = &recorded.snapshot;
        let vm = attach_recorded(snapshot, snapshot.memory()).unwrap();
        let is_interpreter = vm.flavor.kind() == INTERPRETER;
        let layout = vm.layout.process;
        let mut resolver = resolver_of(vm, &snapshot.threads);
        resolver.refresh_code().unwrap();
        let gc = recorded.situations.iter().find(|s| s.name == "gc").unwrap();
        let mut checked = 0;
        for recorded in &gc.samples {
            let Some(sample) = Sample::of(&recorded.words, &layout) else {
                continue;
            };
            let truth = sample.shown(&mut resolver);
            let collects = truth.frames.iter().any(|name| name.contains("collect"));
            if truth.trust == "captured" && collects {
                checked += usize::from(check(&sample, &truth, &mut resolver));
            }
        }
        // A stripped interpreter does not show which of its functions is the collector.
        assert!(checked > 0 || is_interpreter, "OTP {}", snapshot.release);
    }
}

fn assert_unproven(shown: &ShownStack) {
    assert_eq!(shown.trust, "unproven", "{shown:?}");
    assert_eq!(shown.frames.last().unwrap(), "marker [unproven]:0");
}

#[test]
fn a_moved_stack_is_found_by_the_length_the_collector_has_at_hand() {
    for_each_sample(|sample, truth, resolver| {
        let fields = sample.fields();
        let stack = fields.hend - fields.stop;
        if fields.stop - fields.htop < 2 * stack + 256 {
            return false;
        }
        let end = fields.stop - 64;
        let words = (end - fields.heap) / 8;
        let moved = sample.moved_to(&[end]);
        assert_eq!(&moved.with(&[words]).shown(resolver), truth);
        assert_eq!(&moved.with(&[words * 8]).shown(resolver), truth);

        // A stack that lies there by chance is not taken for the new one.
        assert_unproven(&moved.shown(resolver));
        assert_unproven(&moved.with(&[words - 1]).shown(resolver));
        // Of two that might be it, none is.
        let other = end - stack - 64;
        let both = sample.moved_to(&[other, end]);
        let lengths = [words, (other - fields.heap) / 8];
        assert_unproven(&both.with(&lengths).shown(resolver));
        // The old place, where it still is, is right in any case.
        assert_eq!(&sample.with(&[words]).shown(resolver), truth);
        true
    });
}

#[test]
fn a_moved_stack_is_found_only_while_a_collector_works() {
    for_each_sample(|sample, _, resolver| {
        let fields = sample.fields();
        if fields.stop - fields.htop < fields.hend - fields.stop + 128 {
            return false;
        }
        let end = fields.stop - 64;
        let mut moved = sample.moved_to(&[end]).with(&[(end - fields.heap) / 8]);
        let state = moved.layout.state;
        moved.process[state / 8] &= !(u64::from(STATE_GC) << (state % 8 * 8));
        assert_unproven(&moved.shown(resolver));
        true
    });
}

#[test]
fn the_address_an_exception_was_raised_at_is_a_frame_where_the_process_has_it() {
    for_each_sample(|sample, truth, resolver| {
        if resolver.vm.flavor.kind() == INTERPRETER {
            // It raises from its own code, with the stack as it is.
            return false;
        }
        let mut raised = sample.clone();
        let fields = sample.fields();
        // Some place in the code of the first function, not behind a call.
        let code = sample.stack.iter().find(|word| *word & 3 == 0).unwrap() + 8;
        let (top, below) = (fields.stop - 8, sample.layout.stop / 8);
        raised.process[below] = top;
        raised.copied = (top, [&[code], &sample.stack[..]].concat());
        assert_unproven(&raised.shown(resolver));
        raised.process[sample.layout.i / 8] = code;
        let shown = raised.shown(resolver);
        assert_eq!(shown.trust, "captured", "{shown:?}");
        assert_eq!(shown.frames.len(), truth.frames.len() + 1, "{shown:?}");
        assert!(
            shown
                .frames
                .iter()
                .all(|frame| !frame.starts_with("marker"))
        );
        true
    });
}
