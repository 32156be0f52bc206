//! The programs in the kernel: maps, loading, attaching to events.

use std::cell::Cell;
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};

use thiserror::Error;

use crate::assembler::AssembleError;
use crate::namespace::ThreadIds;
use crate::program::{CStacks, KernelSamples, ProgramMaps, THINNED, TargetOffsets, Trigger, emit};
use crate::ring::BpfRing;
use crate::sys::{self, MapKind};

/// Threads the program can know: all schedulers a VM can have.
const MAX_THREADS: u32 = 4096;
/// The rings of all CPUs together take this much, or more where each has its least length: all of it counts
/// as memory of the process that reads them.
const ALL_RINGS_BYTES: usize = 4 << 20;
/// The ring of one CPU, at most and at least: it has to hold some records of the largest class.
const RING_BYTES: (usize, usize) = (1 << 20, 4 << 20);
/// The verifier's messages.
const LOG_BYTES: usize = 1 << 20;
/// How much of it an error carries: its end shows the reason.
const SHOWN_LOG_BYTES: usize = 600;

/// Why this engine cannot be used.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum BpfError {
    /// Not allowed.
    #[error("the kernel does not allow it (it takes CAP_BPF and CAP_PERFMON, or root)")]
    Denied,
    /// The kernel has no such system call, map or helper.
    #[error("the kernel is too old for it or was built without it (it takes Linux 5.8): {0}")]
    Unsupported(String),
    /// The verifier did not accept the program.
    #[error("the kernel's verifier refused the program: {0}")]
    Refused(String),
    /// The offsets of this VM do not fit the program.
    #[error("the layout of this VM's structures is not one it is made for")]
    Layout,
    /// The program could not be put together.
    #[error(transparent)]
    Assemble(#[from] AssembleError),
    /// Something else.
    #[error("{what}: {source}")]
    System {
        /// The attempted action.
        what: &'static str,
        /// Reason.
        source: io::Error,
    },
}

impl BpfError {
    fn of(what: &'static str) -> impl FnOnce(io::Error) -> Self {
        move |source| match source.raw_os_error() {
            Some(libc::EPERM | libc::EACCES) => Self::Denied,
            Some(libc::ENOSYS | libc::EINVAL) => Self::Unsupported(what.to_owned()),
            _ => Self::System { what, source },
        }
    }

    /// True when more privilege would help.
    pub fn is_permission(&self) -> bool {
        matches!(self, Self::Denied)
    }
}

/// Words for each thread, see [`BpfEngine::add_thread`].
const THREAD_WORDS: usize = 8;
/// Which of them has when a block of the thread was left out last.
const LEFT_OUT_AT: usize = 7;

/// What the programs have to know of a scheduler's thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ThreadFacts {
    /// ErtsSchedulerData.
    pub scheduler: u64,
    /// Register block: C code called from Erlang starts its stack just below; 0 for none.
    pub registers: u64,
    /// The word of 32 bits that shows whether it waits; 0 for unknown.
    pub waiting: u64,
    /// One of these bits of the word is set while it waits.
    pub waiting_mask: u32,
}

/// The programs, a ring for each CPU, and the threads they know. Each CPU has its own ring so that
/// records come in the order of that CPU's samples and no CPU waits for another. All programs count one row of samples
/// for each CPU, whichever event took them.
#[derive(Debug)]
pub struct BpfEngine {
    target_pid: u32,
    thread_ids: ThreadIds,
    target: TargetOffsets,
    threads: OwnedFd,
    counts: OwnedFd,
    /// Dropped copies, and samples left out, when they could be read last.
    last_counts: Cell<[u64; 1 + THINNED]>,
    each: OwnedFd,
    /// Of how many samples one is kept.
    kept_each: Cell<[u64; THINNED]>,
    kernel_samples: KernelSamples,
    programs: Vec<(Trigger, OwnedFd)>,
    rings: Vec<BpfRing>,
}

impl BpfEngine {
    /// Loads the programs of `triggers` (one at least) for the VM that is process `pid`, with a ring for each of
    /// `cpus`.
    pub fn load(
        pid: u32,
        target: &TargetOffsets,
        cpus: &[u32],
        triggers: &[Trigger],
    ) -> Result<Self, BpfError> {
        if !target.is_usable() {
            return Err(BpfError::Layout);
        }
        sys::raise_locked_memory_limit();
        let thread_ids = ThreadIds::of(pid).map_err(BpfError::of("reading the pid namespace"))?;
        let threads = sys::create_map(MapKind::Hash, 4, THREAD_WORDS as u32 * 8, MAX_THREADS)
            .map_err(BpfError::of("making a hash map"))?;
        let array = |kind, value_bytes, elements| {
            sys::create_map(kind, 4, value_bytes, elements)
                .map_err(BpfError::of("making an array map"))
        };
        let thinned = THINNED as u32;
        let sequence = array(MapKind::ArrayByCpu, 8, 1)?;
        let to_leave_out = array(MapKind::ArrayByCpu, 8, thinned)?;
        let counts = array(MapKind::Array, 8 + 8 * thinned, 1)?;
        let each = array(MapKind::Array, 8 * thinned, 1)?;
        let (ring_bytes, rings) = make_rings(cpus.len())?;
        let by_cpu = by_cpu(cpus, &rings).map_err(BpfError::of("making an array of rings"))?;
        let maps = ProgramMaps {
            threads_fd: threads.as_raw_fd(),
            rings_fd: by_cpu.as_raw_fd(),
            ring_bytes,
            sequence_fd: sequence.as_raw_fd(),
            counts_fd: counts.as_raw_fd(),
            each_fd: each.as_raw_fd(),
            to_leave_out_fd: to_leave_out.as_raw_fd(),
            thread_ids,
        };
        let (kernel_samples, programs) = load_programs(target, &maps, triggers)?;
        Ok(Self {
            target_pid: pid,
            thread_ids,
            target: *target,
            threads,
            counts,
            last_counts: Cell::default(),
            each,
            kept_each: Cell::new([1; THINNED]),
            kernel_samples,
            programs,
            rings,
        })
    }

    /// The rings, one for each CPU in order; only the first call gives them.
    pub fn take_rings(&mut self) -> Vec<BpfRing> {
        std::mem::take(&mut self.rings)
    }

    /// Whether the programs know the registers of a thread that is in the kernel.
    pub fn kernel_samples(&self) -> KernelSamples {
        self.kernel_samples
    }

    /// The side that copies the C stacks of threads with a register block.
    pub fn c_stacks(&self) -> CStacks {
        CStacks::of(&self.target, self.kernel_samples)
    }

    /// Samples whose copy found the ring full, so far, and whether these are all: not where the count cannot be read any
    /// longer.
    pub fn dropped(&self) -> (u64, bool) {
        let ([dropped, ..], is_read) = self.read_counts();
        (dropped, is_read)
    }

    /// Samples of a trigger that were left out so far, as [`BpfEngine::keep_each`] had it.
    pub fn left_out(&self, of: Trigger) -> u64 {
        let ([_, left_out @ ..], _) = self.read_counts();
        let place = of.thinned();
        place.and_then(|it| left_out.get(it).copied()).unwrap_or(0)
    }

    /// When a block of a thread was left out last (CLOCK_MONOTONIC, nanoseconds), just before it left its CPU. `inner` is
    /// its number as [`BpfEngine::add_thread`] returned it. `None` where none was since it was added, or that is not known.
    pub fn left_out_at(&self, inner: u32) -> Option<u64> {
        let mut words = [0; THREAD_WORDS];
        sys::read_element(self.threads.as_fd(), inner, &mut words).ok()?;
        words.get(LEFT_OUT_AT).copied().filter(|at_ns| *at_ns > 0)
    }

    fn read_counts(&self) -> ([u64; 1 + THINNED], bool) {
        let mut counts = [0; 1 + THINNED];
        let is_read = sys::read_element(self.counts.as_fd(), 0, &mut counts).is_ok();
        if is_read {
            self.last_counts.set(counts);
        }
        (self.last_counts.get(), is_read)
    }

    /// From now on keeps each `n`-th sample of a trigger on a CPU; 1 for all. Those of a clock are kept in any case.
    pub fn keep_each(&self, of: Trigger, n: u32) -> Result<(), BpfError> {
        let mut each = self.kept_each.get();
        let Some(place) = of.thinned() else {
            return Ok(());
        };
        if let Some(word) = each.get_mut(place) {
            *word = u64::from(n);
        }
        sys::set_element(self.each.as_fd(), 0, &each)
            .map_err(BpfError::of("setting which samples are kept"))?;
        self.kept_each.set(each);
        Ok(())
    }

    /// Adds a scheduler's thread to those that the programs copy for. Returns the thread's number as
    /// they see it; `None` when it has ended by then, which is not an error.
    pub fn add_thread(&self, tid: u32, facts: ThreadFacts) -> Result<Option<u32>, BpfError> {
        let Some(inner) = self.thread_ids.id_of(self.target_pid, tid) else {
            return Ok(None);
        };
        // The fourth and the last are the programs' own: the process the thread ran last, and when a block of it was
        // left out last. The sixth stays zero.
        let (scheduler, registers) = (facts.scheduler, facts.registers);
        let (waiting, mask) = (facts.waiting, u64::from(facts.waiting_mask));
        let value = [scheduler, registers, u64::from(tid), 0, waiting, 0, mask, 0];
        self.set_thread(inner, &value)?;
        Ok(Some(inner))
    }

    /// Takes a thread from those that the programs copy for. `inner` is its number as
    /// [`BpfEngine::add_thread`] returned it: the thread may have ended, and the number be another's.
    pub fn forget_thread(&self, inner: u32) -> Result<(), BpfError> {
        // For a thread without a scheduler they copy nothing. (A process that is locked down may not
        // delete elements.)
        self.set_thread(inner, &[0; THREAD_WORDS])
    }

    fn set_thread(&self, inner: u32, value: &[u64; THREAD_WORDS]) -> Result<(), BpfError> {
        sys::set_element(self.threads.as_fd(), inner, value)
            .map_err(BpfError::of("adding a thread to the program"))
    }

    /// The program of `trigger`, when it was loaded.
    pub fn program(&self, trigger: Trigger) -> Option<BorrowedFd<'_>> {
        let mut programs = self.programs.iter();
        let (_, program) = programs.find(|(of, _)| *of == trigger)?;
        Some(program.as_fd())
    }

    /// Has the program of `trigger` run at every sample of `event`.
    pub fn attach(&self, event: BorrowedFd<'_>, trigger: Trigger) -> Result<(), BpfError> {
        self.program(trigger)
            .ok_or_else(|| io::Error::from(io::ErrorKind::NotFound))
            .and_then(|program| sys::attach(event, program))
            .map_err(BpfError::of("attaching to an event"))
    }
}

/// How long the ring of each of so many CPUs should be.
fn wanted_ring_bytes(cpus: usize) -> usize {
    let share = ALL_RINGS_BYTES / cpus.max(1);
    1 << share.clamp(RING_BYTES.0, RING_BYTES.1).ilog2()
}

/// Rings for so many CPUs, all of one length: as large as wanted, or smaller where memory is short.
fn make_rings(cpus: usize) -> Result<(usize, Vec<BpfRing>), BpfError> {
    let mut bytes = wanted_ring_bytes(cpus);
    loop {
        let rings: Result<_, _> = (0..cpus.max(1)).map(|_| BpfRing::new(bytes)).collect();
        match rings {
            Ok(rings) => return Ok((bytes, rings)),
            Err(_) if bytes > RING_BYTES.0 => bytes /= 2,
            Err(error) => return Err(BpfError::of("making a ring")(error)),
        }
    }
}

/// The rings as the program finds them: by the number of the CPU. Some numbers may have none.
fn by_cpu(cpus: &[u32], rings: &[BpfRing]) -> io::Result<OwnedFd> {
    let first = rings.first().ok_or(io::ErrorKind::InvalidInput)?;
    let entries = cpus.iter().max().map_or(1, |last| last.saturating_add(1));
    let array = sys::create_array_of_maps(first.descriptor(), entries)?;
    for (cpu, ring) in cpus.iter().zip(rings) {
        sys::set_map(array.as_fd(), *cpu, ring.descriptor())?;
    }
    Ok(array)
}

/// The programs of `triggers`. An older kernel has no way to return the registers of a thread that is in the kernel.
/// Its answer to the first program holds for all: one side copies all C stacks.
fn load_programs(
    target: &TargetOffsets,
    maps: &ProgramMaps,
    triggers: &[Trigger],
) -> Result<(KernelSamples, Vec<(Trigger, OwnedFd)>), BpfError> {
    let load = |trigger, samples| load(&emit(target, maps, samples, trigger)?);
    let (first, others) = triggers.split_first().ok_or_else(|| {
        let none = io::Error::from(io::ErrorKind::InvalidInput);
        BpfError::of("loading no program")(none)
    })?;
    let (kernel_samples, program) = match load(*first, KernelSamples::WithRegisters) {
        Ok(program) => (KernelSamples::WithRegisters, program),
        Err(BpfError::Denied) => return Err(BpfError::Denied),
        Err(_) => {
            let samples = KernelSamples::WithoutRegisters;
            (samples, load(*first, samples)?)
        }
    };
    let mut programs = vec![(*first, program)];
    for trigger in others {
        programs.push((*trigger, load(*trigger, kernel_samples)?));
    }
    Ok((kernel_samples, programs))
}

fn load(code: &[u64]) -> Result<OwnedFd, BpfError> {
    // Without a log first: the kernel takes its time to write one.
    let error = match sys::load_program(code, &mut []) {
        Ok(program) => return Ok(program),
        Err(error) => error,
    };
    if is_not_about_the_program(&error) {
        return Err(BpfError::of("loading the program")(error));
    }
    let mut log = vec![0; LOG_BYTES];
    let error = match sys::load_program(code, &mut log) {
        Ok(program) => return Ok(program),
        Err(error) if is_not_about_the_program(&error) => {
            return Err(BpfError::of("loading the program")(error));
        }
        Err(error) => error,
    };
    let end = log.iter().position(|byte| *byte == 0).unwrap_or(log.len());
    let text = String::from_utf8_lossy(log.get(..end).unwrap_or(&[]));
    let text = text.trim();
    if text.is_empty() {
        return Err(BpfError::of("loading the program")(error));
    }
    let mut start = text.len().saturating_sub(SHOWN_LOG_BYTES);
    while !text.is_char_boundary(start) {
        start += 1;
    }
    let shown = text.get(start..).unwrap_or(text).replace('\n', "; ");
    Err(
        match shown.contains("unknown func") || shown.contains("invalid func") {
            true => BpfError::Unsupported(shown),
            false => BpfError::Refused(shown),
        },
    )
}

/// The verifier may have no objection to it: a right, a descriptor or memory is missing.
fn is_not_about_the_program(error: &io::Error) -> bool {
    use libc::{EMFILE, ENFILE, ENOMEM, ENOSYS, EPERM};
    matches!(
        error.raw_os_error(),
        Some(EPERM | ENOSYS | EMFILE | ENFILE | ENOMEM)
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::record_bytes;
    use crate::record::STACK_ROOM_BYTES;

    #[test]
    fn rings_are_counted_as_our_memory_and_therefore_short() {
        let all = |cpus: usize| cpus * wanted_ring_bytes(cpus);
        assert_eq!([1, 2, 3, 4].map(all), [4 << 20, 4 << 20, 3 << 20, 4 << 20]);
        for cpus in [8, 64, 256] {
            assert_eq!(wanted_ring_bytes(cpus), 1 << 20, "{cpus}");
        }
        // Any record has room in any ring.
        let longest = record_bytes(4096, STACK_ROOM_BYTES.len() - 1);
        assert!(longest < RING_BYTES.0);
    }
}
