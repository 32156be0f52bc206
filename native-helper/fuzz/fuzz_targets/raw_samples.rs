//! Any words as a raw sample of a recorded VM: resolved to something.
#![no_main]

use std::cell::RefCell;

use capture::facts::{CaptureSettings, TargetFacts};
use capture::writer::CaptureWriter;
use corpus::Snapshot;
use libfuzzer_sys::fuzz_target;
use recorder::read::raw_sample::RawSampleRef;
use recorder::resolve::{Resolver, scheduler_id};
use target_memory::{SnapshotMemory, bytes_to_words};
use vm_tables::schedulers::scheduler_of_thread_name;

const VM: &[u8] = include_bytes!("../../crates/sampling/recorder/tests/corpus/otp27/vm.gz");

thread_local! {
    static RESOLVER: RefCell<Resolver<SnapshotMemory>> = RefCell::new(resolver());
}

fn resolver() -> Resolver<SnapshotMemory> {
    let snapshot = Snapshot::decode(VM).expect("a file of the corpus");
    let (process, objects) = (
        snapshot.process().expect("a process"),
        snapshot.objects().expect("objects"),
    );
    let vm = attach::read_tables(process, snapshot.memory(), objects).expect("a VM");
    let writer = CaptureWriter::new(TargetFacts::default(), CaptureSettings::default());
    let mut resolver = Resolver::new(vm, writer, 0, false);
    for (tid, name) in snapshot.threads {
        let scheduler = scheduler_of_thread_name(&name);
        let scheduler = scheduler.map(|(kind, number)| scheduler_id(kind, number));
        resolver.name_thread(tid, name, scheduler);
    }
    resolver
}

fuzz_target!(|bytes: &[u8]| {
    let words: Vec<u64> = bytes_to_words(bytes).collect();
    let Some((sample, _)) = RawSampleRef::decode(&words) else {
        return;
    };
    RESOLVER.with_borrow_mut(|resolver| {
        resolver.resolve(&sample);
        // The samples that wait for the next increment must not grow without end.
        if resolver.table.writer.pending_samples() > 10_000 {
            resolver.table.writer.take_increment(0, &Default::default());
        }
    });
});
