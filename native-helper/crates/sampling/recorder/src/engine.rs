//! How the Erlang stack under C code is obtained: copied in the kernel at the sample (`bpf`), or
//! read right after it (`readv`).

use arch::interrupted::SavedRegister;
use attach::AttachedVm;
use bpf_engine::program::KernelSamples;
use bpf_engine::{BpfEngine, BpfError, StackPointer, TargetOffsets, Trigger};
use capture::quality::EngineReason;
use serde::{Deserialize, Serialize};
use vm_code::interpreter::Interpreter;
use vm_layout::ports::PORT;
use vm_layout::rows::ROWS;
use vm_layout::{Flavor, STATE_GC, VmLayout};

/// Which engine is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum EngineChoice {
    /// `bpf` where the kernel allows it, else `readv`.
    #[default]
    Auto,
    /// `bpf` or nothing.
    Bpf,
    /// `readv`.
    Readv,
}

/// The engines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Engine {
    /// An eBPF program on the sampling event copies it: nothing can change before the copy.
    Bpf,
    /// process_vm_readv as soon as a reader wakes; frames that cannot be proven are marked.
    Readv,
}

impl Engine {
    /// As captures and the command line call it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Bpf => "bpf",
            Self::Readv => "readv",
        }
    }
}

/// The engine of one recording.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EngineInUse {
    /// Which.
    pub engine: Engine,
    /// Why, for people: one clause.
    pub reason: String,
    /// The same as a code.
    pub reason_code: EngineReason,
}

/// Picks the engine and, when it is `bpf`, has it loaded with the programs of `triggers`: or with the first of these
/// alone, where the kernel does not accept all.
pub(crate) fn choose(
    choice: EngineChoice,
    triggers: &[Trigger],
    load: &dyn Fn(&[Trigger]) -> Result<BpfEngine, BpfError>,
) -> Result<(EngineInUse, Option<BpfEngine>), BpfError> {
    let asked_for = |engine| EngineInUse {
        engine,
        reason: "requested".to_owned(),
        reason_code: EngineReason::AskedFor,
    };
    if choice == EngineChoice::Readv {
        return Ok((asked_for(Engine::Readv), None));
    }
    let loaded = load(triggers).or_else(|error| match triggers {
        [first, _, ..] => load(&[*first]),
        _ => Err(error),
    });
    match loaded {
        Ok(loaded) => {
            let in_use = match choice {
                EngineChoice::Bpf => asked_for(Engine::Bpf),
                _ => EngineInUse {
                    engine: Engine::Bpf,
                    reason: "the kernel accepts its program".to_owned(),
                    reason_code: EngineReason::Accepted,
                },
            };
            Ok((in_use, Some(loaded)))
        }
        Err(error) if choice == EngineChoice::Auto => {
            let in_use = EngineInUse {
                engine: Engine::Readv,
                reason: format!("bpf cannot be used: {error}"),
                reason_code: EngineReason::BpfUnusable,
            };
            Ok((in_use, None))
        }
        Err(error) => Err(error),
    }
}

/// Loads the programs of `triggers` for a VM, with a ring for each of `cpus`.
pub(crate) fn load(
    vm: &AttachedVm,
    cpus: &[u32],
    triggers: &[Trigger],
) -> Result<BpfEngine, BpfError> {
    let offsets = TargetOffsets {
        code_index: vm.code.code_index_address(),
        ..target_offsets(&vm.layout, vm.code.normal_exit, &vm.flavor)
    };
    BpfEngine::load(vm.process.pid, &offsets, cpus, triggers)
}

/// The same for this very process, in the place of a VM, with the layout of some release.
pub(crate) fn load_for_ourselves(
    cpus: &[u32],
    triggers: &[Trigger],
) -> Result<BpfEngine, BpfError> {
    let layout = ROWS.first().ok_or(BpfError::Layout)?;
    let offsets = target_offsets(layout, 0, &Flavor::Jit(()));
    BpfEngine::load(std::process::id(), &offsets, cpus, triggers)
}

/// Tries out whether the kernel would take the program, with the layout of some release.
pub fn try_bpf() -> Result<KernelSamples, BpfError> {
    load_for_ourselves(&[0], &[Trigger::Clock]).map(|engine| engine.kernel_samples())
}

/// The offsets that the program needs for a VM with this layout, whose stacks all begin with the
/// word `bottom_word`.
pub fn target_offsets<J>(
    layout: &VmLayout,
    bottom_word: u64,
    flavor: &Flavor<J, Interpreter>,
) -> TargetOffsets {
    let stack_pointer = match flavor {
        Flavor::Jit(_) => StackPointer::Exact(SavedRegister::STACK_POINTER),
        Flavor::Interpreter(interpreter) => {
            StackPointer::Hint(SavedRegister::preserved(interpreter.registers.stack))
        }
    };
    TargetOffsets {
        current_process: layout.scheduler.current_process,
        current_port: layout.scheduler.current_port,
        process_bytes: layout.process.read_bytes,
        port_bytes: PORT.read_bytes,
        id: layout.process.id,
        stop: layout.process.stop,
        heap: layout.process.heap,
        hend: layout.process.hend,
        state: layout.process.state,
        collecting: STATE_GC,
        bottom_word,
        stack_pointer,
        code_index: None,
    }
}
