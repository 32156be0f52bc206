//! Every sample is counted as somebody's, or as nobody's: made of recorded samples from which the facts are taken away
//! that show whose they are.

#![allow(clippy::unwrap_used)]

mod replaying;

use recorder::read::raw_sample::{RawSampleRef, ReadFlags};
use replaying::{attach_recorded, read_corpus, resolver_of};

#[derive(Debug, PartialEq, Eq, Clone, Copy)]
enum Of {
    Process,
    Scheduler,
    Nobody,
}

#[test]
fn a_sample_that_is_of_nobody_known_is_counted_as_that() {
    for recorded in read_corpus().unwrap() {
        let snapshot = &recorded.snapshot;
        let vm = attach_recorded(snapshot, snapshot.memory()).unwrap();
        let mut resolver = resolver_of(vm, &snapshot.threads);
        resolver.refresh_code().unwrap();
        let samples = recorded.situations.iter().flat_map(|s| &s.samples);
        let samples: Vec<_> = samples
            .filter_map(|sample| RawSampleRef::decode(&sample.words))
            .map(|(sample, _)| sample)
            .collect();
        for sample in &samples {
            resolver.resolve(sample);
        }
        let all = resolver.tally.record();
        let in_process = all.erlang.samples + all.native_in_process.samples;
        let rest = all.no_process.unwrap();
        let others = all.scheduler + all.other + rest.port_tasks + rest.unattributed;
        assert_eq!(in_process + others, all.samples);
        assert_eq!(all.samples, samples.len() as u64);

        let in_c = |dirty| {
            let is_wanted = |sample: &&RawSampleRef<'_>| {
                let flags = sample.flags;
                flags.has(ReadFlags::REGISTERS)
                    && !flags.has(ReadFlags::IN_ERLANG)
                    && flags.has(ReadFlags::DIRTY) == dirty
                    && sample.current_process != 0
            };
            samples.iter().find(is_wanted).unwrap()
        };
        let mut counted = |sample: RawSampleRef<'_>, flags: u64, current_process: u64| {
            let before = resolver.tally.record();
            resolver.resolve(&RawSampleRef {
                flags: ReadFlags(ReadFlags::REGISTERS | flags),
                current_process,
                current_port: 0,
                process: &[],
                // Nothing shows what called the C function.
                call_slot: 0,
                stack: &[],
                stack_rest: &[],
                ..sample
            });
            let now = resolver.tally.record();
            let of = [
                (
                    Of::Process,
                    now.native_in_process.samples - before.native_in_process.samples,
                ),
                (Of::Scheduler, now.scheduler - before.scheduler),
                (
                    Of::Nobody,
                    now.no_process.unwrap().unattributed - before.no_process.unwrap().unattributed,
                ),
            ];
            let of: Vec<Of> = of
                .iter()
                .filter(|(_, count)| *count == 1)
                .map(|(of, _)| *of)
                .collect();
            of
        };
        let (copied, read) = (ReadFlags::COPIED, ReadFlags::SCHEDULER_READ);
        let normal = *in_c(false);
        let process = normal.current_process;
        let release = &snapshot.release;
        assert_eq!(
            counted(normal, ReadFlags::UNMATCHED, 0),
            [Of::Nobody],
            "OTP {release}"
        );
        assert_eq!(counted(normal, 0, 0), [Of::Nobody], "OTP {release}");
        assert_eq!(counted(normal, copied, 0), [Of::Scheduler], "OTP {release}");
        assert_eq!(counted(normal, read, 0), [Of::Scheduler], "OTP {release}");
        let of = counted(normal, copied, process);
        assert!(
            of == [Of::Nobody] || of == [Of::Process],
            "OTP {release}: {of:?}"
        );

        let dirty = ReadFlags::DIRTY;
        let on_dirty = *in_c(true);
        let process = on_dirty.current_process;
        assert_eq!(
            counted(on_dirty, dirty | ReadFlags::UNMATCHED, 0),
            [Of::Nobody]
        );
        assert_eq!(counted(on_dirty, dirty, 0), [Of::Nobody], "OTP {release}");
        assert_eq!(counted(on_dirty, dirty | copied, 0), [Of::Scheduler]);
        assert_eq!(counted(on_dirty, dirty | copied, process), [Of::Process]);
    }
}
