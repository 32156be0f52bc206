//! The threads that empty the rings.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread::JoinHandle;

use bpf_engine::{BpfEngine, BpfRing};
use perf_ring::Ring;

use super::{ReaderHandle, Recording};
use crate::error::RecordError;
use crate::events::RingOutput;
use crate::read::batch::{BatchCell, RawBatch};
use crate::read::collector::{Collector, CpuRings};
use crate::read::counts::ReaderCounts;
use crate::read::failure_limit::{FailureLimit, text_of};
use crate::read::join::{Join, JoinCounts};
use crate::read::plan::PlanView;
use crate::read::reader::Reader;
use crate::read::switch_records::SwitchRecords;

/// Data pages of one ring: with its header page this is just what `perf_event_mlock_kb` gives
/// every user for each CPU.
pub const RING_PAGES: usize = 128;

impl Recording {
    pub(super) fn start_readers(&mut self, cpus: &[u32]) -> Result<(), RecordError> {
        let mut rings = Vec::with_capacity(cpus.len());
        for cpu in cpus {
            let raised = self.target.raise_to_sample();
            let ring = Ring::new(*cpu, RING_PAGES)?;
            drop(raised);
            self.outputs.push(RingOutput::new(*cpu, &ring)?);
            self.readers.push(ReaderHandle {
                cpu: *cpu,
                batch: Arc::new(BatchCell::of(&self.chunks)),
                counts: Arc::default(),
            });
            self.spare.push(RawBatch::of(&self.chunks));
            rings.push((*cpu, ring));
        }
        match self.program.as_mut().map(BpfEngine::take_rings) {
            Some(records) => self.start_collector(rings, records),
            None => self.start_late_readers(rings),
        }
    }

    pub(super) fn start_late_readers(
        &mut self,
        rings: Vec<(u32, Ring)>,
    ) -> Result<(), RecordError> {
        for ((cpu, ring), handle) in rings.into_iter().zip(&self.readers) {
            let reader = Reader {
                cpu,
                ring,
                settings: self.event_settings,
                memory: self.resolver.vm.memory.clone(),
                plan: PlanView::new(Arc::clone(&self.plan)),
                batch: Arc::clone(&handle.batch),
                counts: Arc::clone(&handle.counts),
                stop: Arc::clone(&self.stop),
            };
            let counts = vec![Arc::clone(&handle.counts)];
            self.threads
                .push(spawn(format!("reader-{cpu}"), counts, || reader.run())?);
        }
        Ok(())
    }

    pub(super) fn start_collector(
        &mut self,
        rings: Vec<(u32, Ring)>,
        records: Vec<BpfRing>,
    ) -> Result<(), RecordError> {
        let cpus = rings.into_iter().zip(records).zip(&self.readers);
        let cpus = cpus.map(|(((cpu, samples), records), handle)| CpuRings {
            samples,
            records,
            batch: Arc::clone(&handle.batch),
            counts: Arc::clone(&handle.counts),
            join: Join::new(self.resolver.vm.layout.process.read_bytes),
            switches: SwitchRecords::of_cpu(cpu, Arc::clone(&self.event_sources)),
            published: JoinCounts::default(),
            failure_limit: FailureLimit::default(),
        });
        let collector = Collector {
            cpus: cpus.collect(),
            settings: self.event_settings,
            sources: Arc::clone(&self.event_sources),
            plan: PlanView::new(Arc::clone(&self.plan)),
            stop: Arc::clone(&self.stop),
        };
        let counts = self.readers.iter().map(|it| Arc::clone(&it.counts));
        let thread = spawn("collector".to_owned(), counts.collect(), || collector.run())?;
        self.threads.push(thread);
        Ok(())
    }
}

/// A thread that reads the CPUs of `counts`. Should it end by a panic, they record it.
fn spawn(
    name: String,
    counts: Vec<Arc<ReaderCounts>>,
    body: impl FnOnce() + Send + 'static,
) -> Result<JoinHandle<()>, RecordError> {
    let body = move || {
        if let Err(panic) = catch_unwind(AssertUnwindSafe(body)) {
            counts.iter().for_each(|it| it.end(&text_of(&*panic)));
        }
    };
    std::thread::Builder::new()
        .name(name)
        .stack_size(256 << 10)
        .spawn(body)
        .map_err(|source| RecordError::System {
            what: "starting a thread",
            source,
        })
}
