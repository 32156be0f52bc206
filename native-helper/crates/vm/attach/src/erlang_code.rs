//! Where a VM's Erlang code is and which code runs it: compiled by the JIT, or interpreted.

use std::mem;

use arch::interpreter::{InterpreterRegisters, from_process_main};
use arch::{FragmentFacts, from_fragments};
use erlang_stack::TraceReturns;
use retry::{AfterFailure, GaveUp, Retry};
use target_memory::TargetMemory;
use thread_priority::with_realtime;
use vm_anchors::{Anchor, Anchors, Finder};
use vm_code::blob::ModuleCode;
use vm_code::callees::{BuiltInCalls, CalleeNames, CodeOfVm};
use vm_code::descriptor::Descriptor;
use vm_code::generations::CodeGenerations;
use vm_code::interpreter::{Interpreter, MAIN_FUNCTION, facts};
use vm_code::ranges::ModuleRanges;
use vm_layout::derive::FRAGMENTS;
use vm_layout::trace_returns::TRACE_INSTRUCTIONS;
use vm_layout::vm_version::VmVersion;
use vm_layout::{EmulatorSymbols, TableError};
use vm_layout::{Flavor, StackBottom, VmLayout, unknown};
use vm_tables::atoms::AtomTable;

/// Shared fragments are some 8 KiB, the interpreter's main function some 50 KiB.
const MAX_CODE_BYTES: usize = 1 << 20;
/// The emulator's variable of the instruction with which a process continues to end.
const CONTINUE_EXIT: &str = "beam_continue_exit";
/// Pauses between tries to read a list of code that is just being changed.
const WHILE_CODE_IS_LOADED: Retry = Retry::after_pauses_ms(&[1, 5, 20, 50, 100]);

/// The facts that only an emulator with a JIT has.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Jit {
    /// Names of C functions that follow from their callers, the JIT's shared fragments first of
    /// all.
    pub callees: CalleeNames,
    /// Where built-in functions are called.
    pub built_ins: BuiltInCalls,
}

/// Erlang code of one VM.
pub(crate) struct LoadedCode {
    pub code: CodeGenerations,
    /// Where the VM lists it.
    pub list: Anchor,
    /// The number of its active code index, when it could be found.
    pub code_index: Option<Anchor>,
    /// The facts about processes that the code which runs all of them contains.
    pub facts: FragmentFacts,
    /// The code that runs it.
    pub flavor: Flavor<Jit, Interpreter>,
    /// Where Erlang code is.
    pub places: Vec<(u64, u64)>,
}

/// Code that the JIT made. `jit` are the mappings it is in.
pub(crate) fn compiled<M: TargetMemory, S: EmulatorSymbols>(
    memory: &M,
    finder: &Finder<'_, M, S>,
    emulator: &impl CodeOfVm,
    jit: &[(u64, u64)],
) -> Result<LoadedCode, TableError> {
    let list = finder.descriptor()?;
    let address = list.address;
    let mut code = patiently(|| CodeGenerations::read(memory, Descriptor { address }))?;
    let (facts, of_jit) = fragments(memory, &code, emulator)?;
    let (code_index, in_fragments) = code_index(memory, finder, &code)?;
    code.watch_code_index(memory, code_index.map(|anchor| anchor.address));
    if in_fragments.is_some() && in_fragments == code_index.map(|anchor| anchor.address) {
        code.expect_code_index_in_register();
    }
    Ok(LoadedCode {
        code,
        list,
        code_index,
        facts,
        flavor: Flavor::Jit(of_jit),
        places: jit.to_vec(),
    })
}

/// The kind of code that contains [`ErlangCode::facts`].
pub(crate) fn facts_source<J, I>(flavor: &Flavor<J, I>) -> &'static str {
    match flavor {
        Flavor::Jit(_) => FRAGMENTS,
        Flavor::Interpreter(_) => MAIN_FUNCTION,
    }
}

/// The facts in the JIT's shared fragments.
pub(crate) fn fragments(
    memory: &impl TargetMemory,
    code: &CodeGenerations,
    emulator: &impl CodeOfVm,
) -> Result<(FragmentFacts, Jit), TableError> {
    let (fragments, bytes) = fragment_code(memory, code)?;
    let facts = from_fragments(&bytes, fragments.base);
    let jit = Jit {
        callees: CalleeNames::derive(memory, emulator, fragments, &bytes),
        built_ins: BuiltInCalls::find(fragments, &bytes),
    };
    Ok((facts, jit))
}

/// Where the number of the active code index is, also according to the shared fragments.
pub(crate) fn code_index<M: TargetMemory, S: EmulatorSymbols>(
    memory: &M,
    finder: &Finder<'_, M, S>,
    code: &CodeGenerations,
) -> Result<(Option<Anchor>, Option<u64>), TableError> {
    let (fragments, bytes) = fragment_code(memory, code)?;
    let by_fragments = finder.code_index_of_fragments(&bytes, fragments.base);
    Ok((finder.code_index(by_fragments), by_fragments))
}

fn fragment_code<'c>(
    memory: &impl TargetMemory,
    code: &'c CodeGenerations,
) -> Result<(&'c ModuleCode, Vec<u8>), TableError> {
    let fragments = code
        .current()
        .fragments()
        .ok_or_else(|| TableError::malformed("JIT shared fragments", "there are none"))?;
    let length = fragments.code_bytes as usize;
    let bytes = memory.read_vec(fragments.base, length, MAX_CODE_BYTES)?;
    Ok((fragments, bytes))
}

/// The interpreter's main function.
struct MainFunction {
    /// Its start and end.
    bounds: (u64, u64),
    /// Start and end of the scheduling function.
    schedule: Option<(u64, u64)>,
    code: Vec<u8>,
}

impl MainFunction {
    fn read(
        memory: &impl TargetMemory,
        symbols: &impl EmulatorSymbols,
        emulator: &impl CodeOfVm,
    ) -> Result<Self, TableError> {
        let bounds_of = |name: &str| emulator.bounds(symbols.address_of(name)?);
        let bounds = bounds_of("process_main").ok_or(TableError::NoSymbol {
            name: "process_main",
        })?;
        let length = usize::try_from(bounds.1.saturating_sub(bounds.0)).unwrap_or(usize::MAX);
        Ok(Self {
            bounds,
            schedule: bounds_of("erts_schedule"),
            code: memory.read_vec(bounds.0, length, MAX_CODE_BYTES)?,
        })
    }

    fn registers(&self, row: &VmLayout) -> Result<InterpreterRegisters, TableError> {
        let offsets = row.process.interpreted();
        Ok(from_process_main(
            &self.code,
            self.bounds.0,
            offsets,
            self.schedule,
        )?)
    }
}

/// The row to use. Of several rows for one release, it is the only one that is consistent with the
/// interpreter's main function. If none is, the first one serves: it will be refused.
pub(crate) fn row_of(
    memory: &impl TargetMemory,
    symbols: &impl EmulatorSymbols,
    emulator: &impl CodeOfVm,
    rows: &[&'static VmLayout],
) -> Option<&'static VmLayout> {
    let main = match rows {
        [_, _, ..] => MainFunction::read(memory, symbols, emulator).ok(),
        _ => None,
    };
    let fits = |row: &&&'static VmLayout| {
        main.as_ref()
            .is_some_and(|main| main.registers(row).is_ok())
    };
    let fitting: Vec<_> = rows.iter().filter(fits).collect();
    match fitting.as_slice() {
        [] => rows.first().copied(),
        [only] => Some(**only),
        _ => None,
    }
}

/// Code that is interpreted, which takes a row of data to read.
pub(crate) fn interpreted<M: TargetMemory, S: EmulatorSymbols>(
    memory: &M,
    finder: &Finder<'_, M, S>,
    symbols: &S,
    emulator: &impl CodeOfVm,
    anchors: &Anchors,
    (version, row): (&VmVersion, Option<&VmLayout>),
) -> Result<LoadedCode, TableError> {
    let Some((row, Flavor::Interpreter(layout))) = row.map(|row| (row, row.flavor)) else {
        let reason = "its code is interpreted, not compiled".to_owned();
        return Err(unknown(version, reason));
    };
    let main = MainFunction::read(memory, symbols, emulator)?;
    let interpreter = Interpreter {
        main: main.bounds,
        schedule: main.schedule,
        registers: main.registers(row)?,
    };
    let normal_exit = match layout.stack_bottom {
        StackBottom::In(name, offset) => symbols.require(name)?.wrapping_add(offset),
        StackBottom::PointedToBy(name) => memory.read_u64(symbols.require(name)?)?,
    };
    let trace_returns = interpreted_trace_returns(memory, symbols, layout.stack_bottom);
    let list = finder.module_images(layout)?;
    let code_index = finder.code_index(None);
    let active = code_index.map(|anchor| anchor.address);
    let mut code = patiently(|| {
        let atoms = AtomTable::with_names(anchors.atoms.address, anchors.atom_names);
        let images = ModuleRanges::new(list.address, active, layout, atoms);
        CodeGenerations::read_images(memory, images, normal_exit, trace_returns)
    })?;
    code.continue_exit =
        own_instruction(memory, symbols, layout.stack_bottom, CONTINUE_EXIT).unwrap_or(0);
    code.watch_code_index(memory, active);
    let places = code.current().bounds().collect();
    Ok(LoadedCode {
        code,
        list,
        code_index,
        facts: facts(&row.process),
        flavor: Flavor::Interpreter(interpreter),
        places,
    })
}

/// The return addresses of traced calls: each is a variable of the emulator as the bottom of a stack is one, or has a
/// variable that points at it.
fn interpreted_trace_returns(
    memory: &impl TargetMemory,
    symbols: &impl EmulatorSymbols,
    stack_bottom: StackBottom,
) -> TraceReturns {
    let known = TRACE_INSTRUCTIONS.iter().filter_map(|instruction| {
        let address = own_instruction(memory, symbols, stack_bottom, instruction.variable)?;
        Some((address, instruction.pointer_follows))
    });
    TraceReturns::new(known)
}

/// An instruction of the emulator's own.
fn own_instruction(
    memory: &impl TargetMemory,
    symbols: &impl EmulatorSymbols,
    stack_bottom: StackBottom,
    variable: &str,
) -> Option<u64> {
    let variable = symbols.address_of(variable)?;
    match stack_bottom {
        StackBottom::In(..) => Some(variable),
        StackBottom::PointedToBy(_) => memory.read_u64(variable).ok(),
    }
}

/// While a node starts it loads hundreds of modules a second, and the data read then may not be a
/// list; a moment later it is. Other VMs load code all the time: reading the list of such a VM must
/// not be interrupted by other work of the machine, so all tries except the first are made with
/// real-time priority.
fn patiently(
    read: impl Fn() -> Result<CodeGenerations, TableError>,
) -> Result<CodeGenerations, TableError> {
    let mut is_first = true;
    let read = || match mem::replace(&mut is_first, false) {
        true => read(),
        false => with_realtime(&read),
    };
    let may_pass = |error: &TableError| {
        AfterFailure::again_if(matches!(
            error,
            TableError::Malformed { .. } | TableError::Unstable { .. }
        ))
    };
    WHILE_CODE_IS_LOADED
        .run(read, may_pass)
        .map_err(GaveUp::into_error)
}
