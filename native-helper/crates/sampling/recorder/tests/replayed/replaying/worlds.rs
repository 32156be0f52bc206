//! Memory in which something happens between two reads.

use std::cell::Cell;

use recorder::read::raw_sample::RawSampleRef;
use target_memory::{ReadError, ReadErrorKind, SnapshotMemory, TargetMemory};
use vm_layout::{Flavor, VmLayout};

/// Behind the register block, so that nothing else is there.
const X_REGISTERS_BYTES: u64 = 1 << 16;

/// The memory one sample was read from, as far as it was read.
pub struct World {
    pub layout: VmLayout,
    /// ErtsSchedulerData and register block of the sampled thread.
    pub scheduler: u64,
    pub registers: u64,
    pub current_process: u64,
    pub current_port: u64,
    pub call_slot: u64,
    pub stack_at: u64,
    pub stack: Vec<u64>,
    pub stack_rest_at: u64,
    pub stack_rest: Vec<u64>,
    pub process: Vec<u64>,
    pub erlang_at: u64,
    pub erlang: Vec<u64>,
    /// The word in an interpreter's X registers; they are in no sample.
    pub x_register: u64,
}

impl World {
    pub fn of(
        layout: VmLayout,
        (scheduler, registers): (u64, u64),
        sample: &RawSampleRef<'_>,
    ) -> Self {
        Self {
            layout,
            scheduler,
            registers,
            current_process: sample.current_process,
            current_port: sample.current_port,
            call_slot: sample.call_slot,
            stack_at: sample.register(arch::sample::STACK_POINTER),
            stack: sample.stack.to_vec(),
            stack_rest_at: sample.stack_rest_address,
            stack_rest: sample.stack_rest.to_vec(),
            process: sample.process.to_vec(),
            erlang_at: sample.erlang_top,
            erlang: sample.erlang.to_vec(),
            x_register: sample.time_ns,
        }
    }

    /// Whether the word below the register block is the return address into JIT code.
    pub fn has_call_slot(&self) -> bool {
        self.registers != 0 && !matches!(self.layout.flavor, Flavor::Interpreter(_))
    }

    /// A word of the process struct.
    pub fn process_word(&mut self, offset: usize) -> Option<&mut u64> {
        self.process.get_mut(offset / 8)
    }

    pub fn memory(&self) -> SnapshotMemory {
        let mut memory = SnapshotMemory::new();
        let fields = &self.layout.scheduler;
        memory
            .map_words(self.stack_at, &self.stack)
            .map_words(
                self.scheduler + fields.current_process as u64,
                &[self.current_process],
            )
            .map_words(
                self.scheduler + fields.current_port as u64,
                &[self.current_port],
            );
        if !self.stack_rest.is_empty() {
            memory.map_words(self.stack_rest_at, &self.stack_rest);
        }
        if self.registers != 0 {
            memory.map_words(self.registers - 8, &[self.call_slot]);
        }
        if let Flavor::Interpreter(_) = self.layout.flavor {
            let x_registers = self.registers.wrapping_add(X_REGISTERS_BYTES);
            let pointer = self.scheduler + fields.registers as u64;
            memory
                .map_words(pointer, &[x_registers])
                .map_words(x_registers, &[self.x_register; 64]);
        }
        if self.current_process != 0 {
            memory.map_words(self.current_process, &self.process);
        }
        if self.erlang_at != 0 {
            memory.map_words(self.erlang_at, &self.erlang);
        }
        memory
    }
}

/// One memory up to some read and another from then on; and reads that fail.
pub struct Worlds {
    pub before: SnapshotMemory,
    pub after: SnapshotMemory,
    /// Reads of `before`; the next one sees half of each.
    pub switch_at: u32,
    /// From this read on, or only that one, reads fail like this.
    pub failing: Option<(u32, ReadErrorKind, bool)>,
    pub reads: Cell<u32>,
}

impl Worlds {
    /// One in which nothing happens.
    pub fn still(world: &World) -> Self {
        Self {
            before: world.memory(),
            after: world.memory(),
            switch_at: u32::MAX,
            failing: None,
            reads: Cell::new(0),
        }
    }
}

impl TargetMemory for Worlds {
    fn read(&self, address: u64, buffer: &mut [u8]) -> Result<(), ReadError> {
        let number = self.reads.get();
        self.reads.set(number + 1);
        if let Some((at, kind, lasting)) = &self.failing
            && (number == *at || *lasting && number > *at)
        {
            return Err(ReadError::new(address, buffer.len(), kind.clone()));
        }
        match number.cmp(&self.switch_at) {
            std::cmp::Ordering::Less => self.before.read(address, buffer),
            std::cmp::Ordering::Greater => self.after.read(address, buffer),
            std::cmp::Ordering::Equal => {
                self.before.read(address, buffer)?;
                let half = buffer.len() / 16 * 8;
                let mut later = vec![0; buffer.len()];
                self.after.read(address, &mut later)?;
                buffer[half..].copy_from_slice(&later[half..]);
                Ok(())
            }
        }
    }
}

/// A memory whose reads can be made to fail while it is in use.
pub struct Failing<M> {
    pub inner: M,
    pub from: Cell<u32>,
    pub every: Cell<u32>,
    pub kind: ReadErrorKind,
    pub reads: Cell<u32>,
}

impl<M> Failing<M> {
    /// Fails at read `from` and each `every` reads after it; 0 means not again.
    pub fn new(inner: M, from: u32, every: u32, kind: ReadErrorKind) -> Self {
        let (from, every, reads) = (Cell::new(from), Cell::new(every), Cell::new(0));
        Self {
            inner,
            from,
            every,
            kind,
            reads,
        }
    }
}

impl<M: TargetMemory> TargetMemory for Failing<M> {
    fn read(&self, address: u64, buffer: &mut [u8]) -> Result<(), ReadError> {
        let number = self.reads.get();
        self.reads.set(number.saturating_add(1));
        let since = number.checked_sub(self.from.get());
        let fails = since.is_some_and(|since| match self.every.get() {
            0 => since == 0,
            every => since % every == 0,
        });
        match fails {
            true => Err(ReadError::new(address, buffer.len(), self.kind.clone())),
            false => self.inner.read(address, buffer),
        }
    }
}
