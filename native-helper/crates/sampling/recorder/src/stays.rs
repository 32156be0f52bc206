//! Long collections and calls, from samples of processor time: which of them prove to be of the same one. No I/O and no
//! clock.
//!
//! The proof is in the samples themselves, not in their order: other samples between two of them, lost ones and
//! another sampling rate change nothing. So each stay lasted at least from its first sample to its last one, and those of a
//! thread that come late, or again with an earlier time, only make it begin earlier.

use std::collections::BTreeMap;

use capture::pprof::Stay;
use capture::stays::{StayKind, StaysQuality};

/// A stay of a thread without a sample for so long is written, whether or not it has ended.
pub const SILENT_NS: u64 = 1_000_000_000;

/// A process at one moment, by numbers that change with each call of a function, look at a message and collection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Turn {
    /// Address of its struct.
    pub process: u64,
    /// Pid term.
    pub id: u64,
    /// Reductions of its whole life, as of when it was last scheduled.
    pub reductions: u64,
    /// Those that are left, as the code that called has them; `None` on a dirty scheduler, where no Erlang code runs.
    pub left: Option<i64>,
}

/// A collection or a call, by all that it does not change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Work {
    /// A collection, which ends with another heap block.
    Collection {
        /// Of the process struct: reductions that are left.
        left: i64,
        /// Start, top and end of the heap block.
        heap: [u64; 3],
        /// Minor collections since the last major one.
        minor_gcs: u64,
    },
    /// A call of C code.
    Call {
        /// Where it returns to.
        returns_to: u64,
        /// The C stack there.
        stack_pointer: u64,
        /// The innermost frame of the Erlang stack: where it returns to, and how far it is from the bottom; `None` where
        /// there is none. Shared code makes the same call for many functions.
        frame: Option<(u64, u64)>,
    },
}

/// What one sample shows of its thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Sight {
    /// Nothing is proven.
    #[default]
    Nothing,
    /// Neither a collection nor a call: whatever there was before has ended.
    Other,
    /// This.
    Of(Turn, Work),
}

#[derive(Debug)]
struct Seen {
    turn: Turn,
    work: Work,
    first_ns: u64,
    last_ns: u64,
    samples: u64,
    /// From the second sample on.
    described: Option<Stay>,
}

/// The threads of a VM, and the stays that go on.
#[derive(Debug, Default)]
pub struct Stays {
    threads: BTreeMap<u32, Seen>,
    ended: Vec<Stay>,
    counts: StaysQuality,
    collections_ns: u64,
    calls_ns: u64,
}

impl Stays {
    /// Takes in a sample. `describe` returns kind and names; it is called for the second sample of a stay.
    pub fn note(&mut self, tid: u32, time_ns: u64, sight: Sight, describe: impl FnOnce() -> Stay) {
        let (turn, work) = match sight {
            Sight::Nothing => return,
            Sight::Other => return self.end(tid),
            Sight::Of(turn, work) => (turn, work),
        };
        if let Some(seen) = self.threads.get_mut(&tid)
            && (seen.turn, seen.work) == (turn, work)
        {
            seen.first_ns = seen.first_ns.min(time_ns);
            seen.last_ns = seen.last_ns.max(time_ns);
            seen.samples += 1;
            seen.described.get_or_insert_with(describe);
            return;
        }
        self.end(tid);
        let seen = Seen {
            turn,
            work,
            first_ns: time_ns,
            last_ns: time_ns,
            samples: 1,
            described: None,
        };
        self.threads.insert(tid, seen);
    }

    /// Ends the stays of threads without a sample since that time.
    pub fn end_silent(&mut self, since_ns: u64) {
        let is_silent = |(tid, seen): (&u32, &Seen)| (seen.last_ns < since_ns).then_some(*tid);
        let silent: Vec<u32> = self.threads.iter().filter_map(is_silent).collect();
        for tid in silent {
            self.end(tid);
        }
    }

    /// Ends the stays of threads that `is_kept` is false of.
    pub fn retain(&mut self, is_kept: impl Fn(u32) -> bool) {
        let ended: Vec<u32> = self.threads.keys().copied().collect();
        for tid in ended.into_iter().filter(|tid| !is_kept(*tid)) {
            self.end(tid);
        }
    }

    /// Those that have ended since the last call, with times in nanoseconds of CLOCK_MONOTONIC as `at_us` and `lasts_us`
    /// have them in microseconds.
    pub fn take_ended(&mut self) -> Vec<Stay> {
        std::mem::take(&mut self.ended)
    }

    /// Notes stays that are in no increment.
    pub fn leave_out(&mut self, stays: u64) {
        self.counts.left_out += stays;
    }

    /// Counts so far. At that rate, samples of a thread are so far apart.
    pub fn quality(&self, hz: f64) -> StaysQuality {
        StaysQuality {
            period_us: (1e6 / hz.max(1e-3)).round() as u64,
            collections_ms: self.collections_ns / 1_000_000,
            calls_ms: self.calls_ns / 1_000_000,
            ..self.counts
        }
    }

    fn end(&mut self, tid: u32) {
        let Some(seen) = self.threads.remove(&tid) else {
            return;
        };
        let Some(described) = seen.described else {
            return;
        };
        let lasts_ns = seen.last_ns.saturating_sub(seen.first_ns);
        let is_collection = matches!(seen.work, Work::Collection { .. });
        let (count, sum_ns) = match is_collection {
            true => (&mut self.counts.collections, &mut self.collections_ns),
            false => (&mut self.counts.calls, &mut self.calls_ns),
        };
        *count += 1;
        *sum_ns = sum_ns.saturating_add(lasts_ns);
        self.ended.push(Stay {
            at_us: seen.first_ns / 1000,
            lasts_us: lasts_ns / 1000,
            samples: seen.samples,
            ..described
        });
    }
}

/// The kind of a collection, by the names of the C functions in its stack.
pub fn kind_of_collection<'n>(names: impl Iterator<Item = &'n str>) -> StayKind {
    // A minor one that finds no room goes on as a major one.
    let mut kind = StayKind::Collection;
    for name in names {
        let is_of = |functions: &[&str]| functions.iter().any(|it| is_function(name, it));
        if is_of(&["major_collection", "full_sweep_heaps"]) {
            return StayKind::MajorCollection;
        }
        if is_of(&["minor_collection", "do_minor"]) {
            kind = StayKind::MinorCollection;
        }
    }
    kind
}

/// Whether a name is that of a function, or of a part that the compiler made of it: `do_minor.isra.0`.
fn is_function(name: &str, function: &str) -> bool {
    let rest = name.strip_prefix(function);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;
    const TID: u32 = 7;

    const TURN: Turn = Turn {
        process: 0x1000,
        id: 0x6b3,
        reductions: 90_000,
        left: Some(3950),
    };

    const COLLECTION: Work = Work::Collection {
        left: 3990,
        heap: [0x10_000, 0x18_000, 0x20_000],
        minor_gcs: 3,
    };

    const CALL: Work = Work::Call {
        returns_to: 0x7000,
        stack_pointer: 0x9000,
        frame: Some((0x7100, 64)),
    };

    fn described(work: Work) -> Stay {
        let kind = match work {
            Work::Collection { .. } => StayKind::Collection,
            Work::Call { .. } => StayKind::Nif,
        };
        Stay {
            kind: kind.number(),
            pid: "<0.107.0>".to_owned(),
            ..Stay::default()
        }
    }

    #[derive(Default)]
    struct Watch(Stays);

    impl Watch {
        fn see(&mut self, at_ms: u64, turn: Turn, work: Work) -> &mut Self {
            self.see_on(TID, at_ms, Sight::Of(turn, work))
        }

        fn see_on(&mut self, tid: u32, at_ms: u64, sight: Sight) -> &mut Self {
            let work = match sight {
                Sight::Of(_, work) => work,
                _ => CALL,
            };
            self.0.note(tid, at_ms * MS, sight, || described(work));
            self
        }

        /// Begin, length and samples of those that have ended; milliseconds.
        fn ended(&mut self) -> Vec<(u64, u64, u64)> {
            let ended = self.0.take_ended();
            let shown = ended
                .iter()
                .map(|stay| (stay.at_us / 1000, stay.lasts_us / 1000, stay.samples));
            shown.collect()
        }

        fn at_end(&mut self) -> Vec<(u64, u64, u64)> {
            self.0.end_silent(u64::MAX);
            self.ended()
        }
    }

    #[test]
    fn samples_of_one_collection_are_one_stay_from_the_first_to_the_last() {
        let mut watch = Watch::default();
        for at_ms in [10, 20, 30] {
            watch.see(at_ms, TURN, COLLECTION);
        }
        assert!(watch.ended().is_empty(), "it goes on");
        watch.see_on(TID, 40, Sight::Other);
        assert_eq!(watch.ended(), [(10, 20, 3)]);
        watch.see(50, TURN, CALL).see(62, TURN, CALL);
        assert_eq!(watch.at_end(), [(50, 12, 2)]);
        let counts = watch.0.quality(99.0);
        assert_eq!((counts.collections, counts.collections_ms), (1, 20));
        assert_eq!((counts.calls, counts.calls_ms), (1, 12));
        assert_eq!((counts.period_us, counts.left_out), (10_101, 0));
    }

    #[test]
    fn one_sample_is_no_stay() {
        let mut watch = Watch::default();
        watch.see(10, TURN, COLLECTION);
        watch.see_on(TID, 20, Sight::Other).see(30, TURN, CALL);
        assert!(watch.at_end().is_empty());
        assert_eq!(watch.0.quality(99.0).collections, 0);
    }

    #[test]
    fn another_process_turn_heap_or_place_is_another_stay() {
        let Work::Collection { left, heap, .. } = COLLECTION else {
            return;
        };
        let [start, top, end] = heap;
        let turns = [
            Turn { process: 1, ..TURN },
            Turn { id: 0x6c3, ..TURN },
            Turn {
                reductions: 90_001,
                ..TURN
            },
            Turn {
                left: Some(3949),
                ..TURN
            },
            Turn { left: None, ..TURN },
        ];
        for turn in turns {
            for work in [COLLECTION, CALL] {
                let mut watch = Watch::default();
                watch.see(10, TURN, work).see(20, turn, work);
                assert!(watch.at_end().is_empty(), "{turn:?}");
            }
        }
        let collections = [
            ([start + 8, top, end], left, 3),
            ([start, top + 8, end], left, 3),
            ([start, top, end + 8], left, 3),
            (heap, left - 1, 3),
            (heap, left, 4),
        ];
        for (heap, left, minor_gcs) in collections {
            let other = Work::Collection {
                left,
                heap,
                minor_gcs,
            };
            let mut watch = Watch::default();
            watch.see(10, TURN, COLLECTION).see(20, TURN, other);
            assert!(watch.at_end().is_empty(), "{other:?}");
        }
        for (returns_to, stack_pointer, frame) in [
            (0x7008, 0x9000, Some((0x7100, 64))),
            (0x7000, 0x9010, Some((0x7100, 64))),
            (0x7000, 0x9000, Some((0x7108, 64))),
            (0x7000, 0x9000, Some((0x7100, 72))),
            (0x7000, 0x9000, None),
        ] {
            let other = Work::Call {
                returns_to,
                stack_pointer,
                frame,
            };
            let mut watch = Watch::default();
            watch.see(10, TURN, CALL).see(20, TURN, other);
            assert!(watch.at_end().is_empty(), "{other:?}");
        }
    }

    #[test]
    fn a_collection_within_a_call_is_a_stay_of_its_own() {
        let mut watch = Watch::default();
        watch.see(10, TURN, CALL).see(20, TURN, CALL);
        watch.see(30, TURN, COLLECTION).see(50, TURN, COLLECTION);
        assert_eq!(watch.at_end(), [(10, 10, 2), (30, 20, 2)]);
    }

    #[test]
    fn lost_and_unproven_samples_and_lower_rates_change_nothing() {
        let mut watch = Watch::default();
        watch.see(10, TURN, CALL).see_on(TID, 20, Sight::Nothing);
        // Then samples are lost, and the rate is a tenth.
        watch.see(300, TURN, CALL).see(400, TURN, CALL);
        assert_eq!(watch.at_end(), [(10, 390, 3)]);
    }

    #[test]
    fn a_time_that_goes_back_makes_it_begin_earlier_and_never_last_longer_than_known() {
        let mut watch = Watch::default();
        watch.see(100, TURN, CALL).see(90, TURN, CALL);
        watch.see(95, TURN, CALL);
        assert_eq!(watch.at_end(), [(90, 10, 3)]);
        watch.see(50, TURN, CALL).see(50, TURN, CALL);
        assert_eq!(watch.at_end(), [(50, 0, 2)]);
    }

    #[test]
    fn a_process_on_another_thread_is_in_another_stay() {
        let mut watch = Watch::default();
        let dirty = Turn { left: None, ..TURN };
        let of = Sight::Of(dirty, COLLECTION);
        watch.see_on(TID, 10, of).see_on(TID + 1, 20, of);
        watch.see_on(TID + 1, 30, of);
        assert_eq!(watch.at_end(), [(20, 10, 2)]);
    }

    #[test]
    fn a_silent_thread_and_one_that_is_forgotten_end_it() {
        let mut watch = Watch::default();
        watch.see(10, TURN, CALL).see(20, TURN, CALL);
        watch.0.end_silent(20 * MS);
        assert!(watch.ended().is_empty());
        watch.0.end_silent(20 * MS + 1);
        assert_eq!(watch.ended(), [(10, 10, 2)]);
        // It goes on after all: both are known.
        watch.see(2000, TURN, CALL).see(2010, TURN, CALL);
        watch.0.retain(|tid| tid != TID);
        assert_eq!(watch.ended(), [(2000, 10, 2)]);
        watch.0.leave_out(3);
        let counts = watch.0.quality(0.0);
        assert_eq!((counts.calls, counts.left_out), (2, 3));
        assert_eq!(counts.period_us, 1_000_000_000);
    }

    #[test]
    fn the_names_of_c_functions_show_the_kind() {
        let kind = |names: &[&str]| kind_of_collection(names.iter().copied());
        let minor = ["memcpy", "do_minor.isra.0", "erts_garbage_collect_nobump"];
        assert_eq!(kind(&minor), StayKind::MinorCollection);
        let major = ["sweep", "full_sweep_heaps", "minor_collection"];
        assert_eq!(kind(&major), StayKind::MajorCollection);
        let unknown = ["do_minority", "beam.smp!fn@0x10", "erts_garbage_collect"];
        assert_eq!(kind(&unknown), StayKind::Collection);
    }
}
