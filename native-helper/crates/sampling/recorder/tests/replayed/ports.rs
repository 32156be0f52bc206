//! Samples of a process that runs the code of a driver, and of a port that runs as a task: made of the recorded ones of
//! a process, whose scheduler has both.

#![allow(clippy::unwrap_used)]

use crate::replaying::{attach_recorded, read_corpus, resolver_of};
use recorder::read::raw_sample::{RawSampleRef, ReadFlags};
use vm_layout::ports::PORT;

/// The word of a port's id.
const PORT_ID: u64 = 0x77;

#[test]
fn a_port_is_a_task_only_where_no_process_runs_it() {
    for recorded in read_corpus().unwrap() {
        let snapshot = &recorded.snapshot;
        let vm = attach_recorded(snapshot, snapshot.memory()).unwrap();
        let mut resolver = resolver_of(vm, &snapshot.threads);
        resolver.refresh_code().unwrap();
        let mut shown = |sample: &RawSampleRef<'_>| {
            resolver.resolve(sample);
            let frames = resolver.last_stack().map(|(_, name, _)| name.to_owned());
            (frames.collect(), resolver.last_trust().as_str())
        };
        let samples = recorded.situations.iter().flat_map(|s| &s.samples);
        let of_process: Vec<_> = samples
            .filter_map(|sample| RawSampleRef::decode(&sample.words))
            .map(|(sample, _)| sample)
            .filter(|sample| sample.current_process != 0 && sample.current_port != 0)
            .collect();
        assert!(!of_process.is_empty(), "OTP {}", snapshot.release);
        for sample in of_process {
            let (frames, trust): (Vec<String>, _) = shown(&sample);
            assert!(
                frames.iter().any(|name| name == "gt_corpus:forever/1"),
                "{frames:?}"
            );
            assert_ne!(trust, "no_process");

            // Read late: by then the thread ran a task, or nothing, but the C functions were called by a process.
            let mut port = [0; PORT.read_bytes / 8];
            port[PORT.id / 8] = PORT_ID;
            let of_task = RawSampleRef {
                current_process: 0,
                process: &port,
                read_done_ns: sample.time_ns,
                ..sample
            };
            let of_nothing = RawSampleRef {
                current_port: 0,
                process: &[],
                ..of_task
            };
            for late in [of_task, of_nothing] {
                let (frames, trust): (Vec<String>, _) = shown(&late);
                assert_eq!(trust, "unproven", "{frames:?}");
                let shows = |wanted| frames.iter().any(|name| name == wanted);
                assert!(shows("erts_internal:port_command/3"), "{frames:?}");
                assert!(!shows("[port]"), "{frames:?}");
            }

            // Copied at the sample: it was a task, and the port is its outermost frame. Nothing is known of this one.
            let flags = ReadFlags(sample.flags.0 | ReadFlags::COPIED);
            let (frames, trust): (Vec<String>, _) = shown(&RawSampleRef { flags, ..of_task });
            assert_eq!(
                (frames.last().unwrap().as_str(), trust),
                ("[port]", "no_process")
            );
            let no_port = RawSampleRef {
                flags,
                process: &[0; PORT.read_bytes / 8],
                ..of_task
            };
            let (frames, _): (Vec<String>, _) = shown(&no_port);
            assert_ne!(frames.last().unwrap(), "[port]");
        }
    }
}
