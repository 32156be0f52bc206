//! The one thing that the proof of `readv` takes for granted (docs/sampling.md, "How a sample is
//! taken"), broken, and nothing else: the thread has run on, and comes back to the same C stack, X
//! registers and call of the same process with as many reductions left, for another Erlang stack.
//!
//! No read value shows then that time has passed. The result is a wrong stack, and it is called
//! validated. These tests record that rather than leave it out, and show that each single sign of
//! the passed time is enough to keep out wrong frames.

#![allow(clippy::unwrap_used)]

use std::cell::Cell;

use crate::replaying::reader_path::Replayed;
use crate::replaying::truth::is_compatible;
use crate::replaying::worlds::{World, Worlds};
use crate::replaying::{night_or_day, read_corpus};
use corpus::SituationSample;
use recorder::read::raw_sample::{RawSampleRef, ReadFlags};

/// The Erlang stack of `other`, from the bottom, in the place of the one of `world`. Where it is
/// shorter, terms without meaning fill the top.
fn replace_erlang_stack(world: &mut World, other: &World) {
    const NIL: u64 = 0x3b;
    let len = world.erlang.len();
    let missing = len.saturating_sub(other.erlang.len());
    let from = other.erlang.len().saturating_sub(len);
    world.erlang = [&vec![NIL; missing], &other.erlang[from..]].concat();
}

/// Words of the C stack of the functions that were called last.
const INNER_WORDS: usize = 4;

fn change_words(words: &mut [u64]) {
    words.iter_mut().for_each(|word| *word ^= 0x10);
}

/// Read only after everything has happened that happens.
fn moved_on(before: &World, after: &World) -> Worlds {
    Worlds {
        before: before.memory(),
        after: after.memory(),
        switch_at: 0,
        failing: None,
        reads: Cell::new(0),
    }
}

/// One in so many of the pairs by day.
const PAIRS_APART: usize = 10;

/// Each sample of a process in C code whose whole stack was validated, with each other such sample; by day with one
/// in so many.
fn for_each_pair(
    mut check: impl FnMut(&Replayed, &'static SituationSample, &'static SituationSample) -> bool,
) {
    for recorded in Box::leak(Box::new(read_corpus().unwrap())) {
        let replayed = Replayed::new(recorded);
        let mut validated = replayed.on_schedulers();
        // In Erlang code only the lower part of a stack is read later, and none of these signs
        // shows.
        validated.retain(|sample| {
            let (raw, _) = RawSampleRef::decode(&sample.words).unwrap();
            sample.golden.trust == "validated" && !raw.flags.has(ReadFlags::IN_ERLANG)
        });
        let apart = night_or_day(1, PAIRS_APART);
        let mut checked = 0;
        for (number, sample) in validated.iter().enumerate() {
            for other in validated.iter().skip(number % apart).step_by(apart) {
                checked += usize::from(check(&replayed, sample, other));
            }
        }
        assert!(
            checked > night_or_day(20, 3),
            "OTP {}: {checked}",
            recorded.snapshot.release
        );
    }
}

#[test]
fn where_only_the_assumption_breaks_a_wrong_stack_is_shown_as_validated() {
    for_each_pair(|replayed, sample, other| {
        let before = replayed.world(sample);
        let mut after = replayed.world(sample);
        replace_erlang_stack(&mut after, &replayed.world(other));
        if after.erlang == before.erlang {
            return false;
        }
        let (raw, _) = RawSampleRef::decode(&sample.words).unwrap();
        let shown = replayed.read_and_resolve(&raw, &moved_on(&before, &after));
        if shown.trust != "validated" {
            // The words there now are no stack for this call, as the walk shows.
            assert!(is_compatible(&shown, &sample.golden), "{shown:#?}");
            return false;
        }
        shown != sample.golden
    });
}

#[test]
fn each_sign_alone_is_enough_to_show_no_wrong_frame() {
    for_each_pair(|replayed, sample, other| {
        let before = replayed.world(sample);
        let (raw, _) = RawSampleRef::decode(&sample.words).unwrap();
        // There the C stack, which holds the process, is the only sign.
        let is_dirty = before.registers == 0;
        let broken = |what: &str, change: &dyn Fn(&mut World)| {
            let mut after = replayed.world(sample);
            replace_erlang_stack(&mut after, &replayed.world(other));
            if after.erlang == before.erlang {
                return;
            }
            change(&mut after);
            let shown = replayed.read_and_resolve(&raw, &moved_on(&before, &after));
            assert!(
                is_compatible(&shown, &sample.golden),
                "{what}: shown {shown:#?}\ntrue {:#?}",
                sample.golden
            );
        };
        broken("the whole C stack", &|after| change_words(&mut after.stack));
        if !is_dirty {
            broken("the process", &|after| after.current_process ^= 0x40);
            broken("the inner C stack and the reductions", &|after| {
                change_words(&mut after.stack[..INNER_WORDS]);
                let reductions = after.layout.process.fcalls;
                let reductions = after.process_word(reductions).unwrap();
                *reductions = reductions.wrapping_sub(1);
            });
        }
        if before.has_call_slot() {
            broken("the inner C stack and the call", &|after| {
                change_words(&mut after.stack[..INNER_WORDS]);
                after.call_slot ^= 0x40;
            });
        }
        true
    });
}
