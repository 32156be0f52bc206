//! Samples in the JIT code that runs the scheduler itself: made of recorded samples that are moved
//! there. No C frame lies above it and no process below, yet it is where the time went.

#![allow(clippy::unwrap_used)]

use crate::replaying::{attach_recorded, read_corpus, resolver_of};
use attach::AttachedVm;
use recorder::read::raw_sample::{RawSampleRef, ReadFlags};
use vm_code::generations::Located;
use vm_code::range_names::RangeName;
use vm_layout::INTERPRETER;

/// Addresses in code of the JIT's own that schedules, and its names.
fn scheduling_code<M>(vm: &AttachedVm<M>) -> Vec<(u64, String)> {
    let fragments = vm.code.current().fragments().unwrap();
    let addresses = (0..u64::from(fragments.code_bytes)).map(|offset| fragments.base + offset);
    let mut found: Vec<(u64, String)> = Vec::new();
    for address in addresses {
        if let Located::Known(location) = vm.code.locate(address)
            && let RangeName::Fragment(name) = &location.name
            && ["process_main", "context_switch", "do_schedule"]
                .iter()
                .any(|scheduling| name.starts_with(scheduling))
            && found
                .last()
                .is_none_or(|(_, last)| *last != location.name.display())
        {
            found.push((address, location.name.display()));
        }
    }
    found
}

#[test]
fn a_sample_in_code_that_schedules_is_of_that_code() {
    for recorded in read_corpus().unwrap() {
        let snapshot = &recorded.snapshot;
        let vm = attach_recorded(snapshot, snapshot.memory()).unwrap();
        if vm.flavor.kind() == INTERPRETER {
            continue;
        }
        let places = scheduling_code(&vm);
        assert!(!places.is_empty(), "OTP {}", snapshot.release);
        let mut resolver = resolver_of(vm, &snapshot.threads);
        resolver.refresh_code().unwrap();
        let samples = recorded.situations.iter().flat_map(|s| &s.samples);
        let like = samples
            .filter_map(|sample| RawSampleRef::decode(&sample.words))
            .map(|(sample, _)| sample)
            .find(|sample| !sample.flags.has(ReadFlags::IN_ERLANG) && !sample.process.is_empty())
            .unwrap();
        for (address, name) in places {
            let mut registers = like.registers.to_vec();
            registers[arch::sample::PROGRAM_COUNTER] = address;
            for current_process in [0, like.current_process] {
                resolver.resolve(&RawSampleRef {
                    ip: address,
                    registers: &registers,
                    chain: &[],
                    current_process,
                    current_port: 0,
                    ..like
                });
                let frames: Vec<&str> = resolver.last_stack().map(|(_, name, _)| name).collect();
                assert_eq!(frames, [&name], "OTP {}", snapshot.release);
                assert_eq!(resolver.last_trust().as_str(), "no_process");
            }
        }
    }
}
