//! The readers of 256 CPUs under the limits of the sampling process. The limits cannot be taken off
//! again, so a process of its own tries it: this very test program.
#![allow(clippy::unwrap_used)]

use std::process::Command;
use std::sync::Arc;

use lockdown::{Lock, Phase, lock};
use recorder::read::batch::{BatchCell, RawBatch};
use recorder::read::chunk_pool::{ChunkPool, MAX_POOL_BYTES};
use recorder::read::join::Join;
use recorder::read::late_read::Scratch;
use recorder::read::raw_sample::RawSample;

const CPUS: u64 = 256;
const IN_CHILD: &str = "RECORDER_TEST_MANY_CPUS";
/// The longest stack that is copied.
const LONGEST_STACK: usize = 512 << 10;

/// The parts of each CPU: for one engine the join, for the other the buffers of late reads.
struct Cpu {
    cell: BatchCell,
    batch: RawBatch,
    _join: Join,
    _scratch: Scratch,
}

impl Cpu {
    fn push(&self, samples: u64, erlang: &[u8]) {
        for time_ns in 0..samples {
            self.cell.push(&RawSample {
                time_ns,
                erlang,
                ..RawSample::default()
            });
        }
    }

    /// Samples that were kept, and those that were not.
    fn take(&mut self) -> (u64, u64) {
        self.cell.swap(&mut self.batch);
        (self.batch.samples().count() as u64, self.batch.dropped)
    }
}

fn samples_of_256_cpus() {
    lock(&Lock {
        target: std::process::id(),
        written: Vec::new(),
        phase: Phase::Opening,
    })
    .unwrap();
    let pool = Arc::<ChunkPool>::default();
    let cpu = |_| Cpu {
        cell: BatchCell::of(&pool),
        batch: RawBatch::of(&pool),
        _join: Join::new(776),
        _scratch: Scratch::default(),
    };
    let mut cpus: Vec<Cpu> = (0..CPUS).map(cpu).collect();
    let (usual, longest) = (vec![7u8; 2 << 10], vec![7u8; LONGEST_STACK]);

    // A second at 997 Hz in ten portions.
    for _ in 0..10 {
        cpus.iter().for_each(|cpu| cpu.push(100, &usual));
        assert!(cpus.iter_mut().all(|cpu| cpu.take() == (100, 0)));
        cpus.iter_mut().for_each(|cpu| cpu.batch.clear());
    }

    // A resolver that stands still while all stacks are as long as can be: samples that do not fit are
    // counted.
    cpus.iter().for_each(|cpu| cpu.push(100, &longest));
    assert!(pool.held_bytes() <= MAX_POOL_BYTES);
    let counts: Vec<(u64, u64)> = cpus.iter_mut().map(Cpu::take).collect();
    assert!(counts.iter().all(|(kept, dropped)| kept + dropped == 100));
    let kept: u64 = counts.iter().map(|(kept, _)| kept).sum();
    assert!(
        kept * LONGEST_STACK as u64 > MAX_POOL_BYTES as u64 / 4,
        "{kept}"
    );
    assert!(kept < CPUS * 100);
    cpus.iter_mut().for_each(|cpu| cpu.batch.clear());

    // A system that has no more memory: everything is counted, and nothing ends.
    let mut all = Vec::new();
    while all.try_reserve(1).is_ok() {
        let mut block = Vec::<u8>::new();
        match block.try_reserve_exact(1 << 20) {
            Ok(()) => all.push(block),
            Err(_) => break,
        }
    }
    pool.trim();
    pool.trim();
    cpus.iter().for_each(|cpu| cpu.push(10, &longest));
    drop(all);
    let counts: Vec<(u64, u64)> = cpus.iter_mut().map(Cpu::take).collect();
    assert!(counts.iter().all(|(kept, dropped)| kept + dropped == 10));
    assert!(counts.iter().any(|(_, dropped)| *dropped > 0));
    cpus.iter_mut().for_each(|cpu| cpu.batch.clear());

    cpus.iter().for_each(|cpu| cpu.push(10, &usual));
    assert!(cpus.iter_mut().all(|cpu| cpu.take() == (10, 0)));
}

#[test]
fn samples_of_256_cpus_are_kept_or_counted_under_the_limits_of_the_sampling_process() {
    if std::env::var_os(IN_CHILD).is_some() {
        return samples_of_256_cpus();
    }
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--test-threads", "1", "--nocapture"])
        .env(IN_CHILD, "1")
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}\n{}",
        output.status,
        String::from_utf8_lossy(&output.stderr)
    );
}
