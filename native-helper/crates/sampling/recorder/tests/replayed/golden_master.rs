//! The golden master: every sample of the corpus resolves to the stack that was shown of it when it
//! was recorded, through the real attach, unwinder and resolver. A difference is a change, for better
//! or worse; `test/accuracy` and `test/oracles` check whether the shown stacks are true.

use std::collections::BTreeSet;

use crate::replaying::{attach_recorded, read_corpus, resolve, resolver_of};

/// Situations each release has at least.
const SITUATIONS: [&str; 14] = [
    "bif",
    "deep",
    "deeper",
    "dirty_gc",
    "dirty_nif",
    "erlang",
    "ets",
    "exception",
    "exiting",
    "gc",
    "message",
    "nif",
    "port",
    "unset",
];

#[test]
fn every_sample_resolves_as_it_was_recorded() {
    let corpus = read_corpus().unwrap();
    assert!(corpus.len() >= 3, "{} VMs", corpus.len());
    for recorded in &corpus {
        let snapshot = &recorded.snapshot;
        let names: BTreeSet<&str> = recorded
            .situations
            .iter()
            .map(|situation| situation.name.as_str())
            .collect();
        assert!(
            names.is_superset(&SITUATIONS.into()),
            "OTP {}: {names:?}",
            snapshot.release
        );
        let vm = attach_recorded(snapshot, snapshot.memory()).unwrap();
        assert_eq!(vm.version.otp_release, snapshot.release);
        // In the order they were recorded in: the known facts about a process depend on it.
        let mut resolver = resolver_of(vm, &snapshot.threads);
        let mut order: Vec<_> = recorded.situations.iter().collect();
        order.sort_by_key(|situation| situation.samples.first().map(|sample| sample.words[0]));
        for situation in order {
            resolver.refresh_code().unwrap();
            assert!(
                !situation.samples.is_empty() || situation.name == "port",
                "{}",
                situation.name
            );
            for (index, sample) in situation.samples.iter().enumerate() {
                assert_eq!(
                    resolve(&mut resolver, &sample.words).as_ref(),
                    Some(&sample.golden),
                    "OTP {}, {} {index}",
                    snapshot.release,
                    situation.name
                );
            }
        }
    }
}

#[test]
fn the_corpus_holds_the_situations_it_is_for() {
    for recorded in read_corpus().unwrap() {
        let release = &recorded.snapshot.release;
        let frames_of = |name: &str| -> Vec<String> {
            let situation = recorded.situations.iter().find(|s| s.name == name).unwrap();
            let samples = situation.samples.iter();
            samples
                .map(|sample| sample.golden.frames.join(" < "))
                .collect()
        };
        let shows =
            |name: &str, part: &str| frames_of(name).iter().any(|frames| frames.contains(part));
        assert!(shows("erlang", "gt_corpus:steps/2"), "OTP {release}");
        assert!(shows("bif", "bif "), "OTP {release}");
        assert!(shows("deep", "erlang gt_corpus:depth/2:"), "OTP {release}");
        assert!(
            shows("deeper", "[not copied]") || shows("deeper", "gt_corpus:forever/1"),
            "OTP {release}"
        );
        assert!(shows("dirty_nif", "spin_dirty_cpu"), "OTP {release}");
        assert!(shows("nif", "spin_long"), "OTP {release}");
        assert!(shows("exception", "gt_corpus:once/1"), "OTP {release}");
        assert!(shows("unset", "gt_corpus:wide/1"), "OTP {release}");
    }
}
