//! JIT addresses to frames, remembered until code changes.

use std::collections::HashMap;
use std::sync::Arc;

use arch::{
    BUILT_IN_CALL_BYTES, BYTES_AFTER_RETURN, BYTES_BEFORE_PC, BYTES_BEFORE_RETURN, BuiltInCall,
    StackPointerHome, TRAMPOLINE_BYTES, built_in_call_at, built_in_call_before, ends_in_call,
    jump_target, reserved_stack_bytes, stack_pointer_home,
};
use capture::marks::Mark;
use capture::sample::FrameKind;
use target_memory::{TargetMemory, u64_at};
use vm_code::code_map::CodeLocation;
use vm_code::generations::{CodeGenerations, Located};
use vm_code::range_names::RangeName;
use vm_layout::trace_returns::{JIT_MODULE, TRACE_INSTRUCTIONS};

use arch::interpreter::{Holders, Roles, end_of_instruction, instruction_holders};

use vm_tables::names::display_mfa;

use super::builds::NamedModules;
use super::frames::{Frame, FrameTable, Naming, code_facts, code_or_mark, erlang_facts};
use super::remembered::with_room;

/// The interpreter's main function is some 50 KiB.
const MAX_MAIN_BYTES: usize = 1 << 20;
/// The function that the bottom word of every Erlang stack returns to.
const BOTTOM_FUNCTION: &str = "erts_beamasm:normal_exit/0";
/// The same of interpreted processes.
pub const INTERPRETED_BOTTOM: &str = "normal_exit";
/// The instruction that a traced call of an interpreted process returns to.
pub const TRACE_RETURN: &str = "trace_return";
/// Fragments that run the scheduler: below them there is no process.
const SCHEDULING_FRAGMENTS: [&str; 3] = ["process_main", "context_switch", "do_schedule"];

/// The fragment that runs a breakpoint of a function.
const LOCAL_BREAKPOINT: &str = "generic_bp_local";

/// The function in which a process continues to end that was interrupted while it did.
const CONTINUED_EXIT: &str = "erts_beamasm:continue_exit/0";

/// A place in Erlang code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CodeAddress {
    /// This instruction runs.
    Runs(u64),
    /// A call returns to here.
    ReturnsTo(u64),
}

impl CodeAddress {
    /// An address in the instruction that runs, or that called.
    fn instruction(self) -> u64 {
        match self {
            Self::Runs(pc) => pc,
            Self::ReturnsTo(address) => address.wrapping_sub(1),
        }
    }
}

/// A frame of JIT code.
#[derive(Debug, Clone, Copy)]
pub struct JitFrame {
    /// The frame.
    pub frame: Frame,
    /// It is known which function or shared code it is, and so whether it schedules.
    pub is_known: bool,
    /// The code belongs to the scheduler, not to a process.
    pub schedules: bool,
    /// The code every process ends in: its stack is empty by then.
    pub is_bottom: bool,
    /// A process continues to end here: it no longer runs Erlang code.
    pub continues_exit: bool,
    /// The instruction that ends a traced call: the rest of its frame is on top of the stack until it returns.
    pub ends_traced_call: bool,
    /// Code around the functions of a module, which calls of functions with a breakpoint go through.
    pub is_around_functions: bool,
    /// The shared code that runs a breakpoint.
    pub runs_breakpoint: bool,
    /// More may be known of it after another look at the list of code.
    is_in_doubt: bool,
}

/// To prove or not to prove code takes some system calls. After so many that did not, none are
/// tried before the next look at the list of code.
const MOST_DOUBTS: u32 = 256;

/// How often the code at an address was in doubt.
#[derive(Debug, Default)]
struct Doubts(u32);

impl Doubts {
    /// The result of `decode`, if it is worth trying.
    fn or<T>(&mut self, decode: impl FnOnce() -> Option<T>) -> Option<T> {
        if self.0 >= MOST_DOUBTS {
            return None;
        }
        let decoded = decode();
        self.0 += u32::from(decoded.is_none());
        decoded
    }
}

/// The known facts about JIT addresses.
#[derive(Debug, Default)]
pub struct ErlangCode {
    /// Modules of which a function was named, whose builds are to be looked up.
    pub named: NamedModules,
    frames: HashMap<CodeAddress, JitFrame>,
    is_return: HashMap<u64, Option<bool>>,
    is_instruction: HashMap<u64, Option<bool>>,
    main: Option<Vec<u8>>,
    holders: HashMap<(u64, bool), Holders>,
    stubs: HashMap<u64, Option<Arc<str>>>,
    /// Of the main function, the code of the instruction that ends a process.
    ending: Option<(u64, u64)>,
    homes: HashMap<u64, Result<Option<StackPointerHome>, CodeInDoubt>>,
    reserved: HashMap<u64, Result<u64, CodeInDoubt>>,
    built_in_calls: HashMap<CodeAddress, Result<Option<BuiltInCall>, CodeInDoubt>>,
    /// Of so many of these the code was in doubt.
    doubts: Doubts,
}

/// The machine code at an address is gone, or nothing proves by now that it is of the module it was
/// of at the sample.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CodeInDoubt;

impl ErlangCode {
    /// Forgets everything: code was loaded or purged.
    pub fn forget(&mut self) {
        self.named.forget();
        self.frames.clear();
        self.is_return.clear();
        self.is_instruction.clear();
        self.stubs.clear();
        self.homes.clear();
        self.reserved.clear();
        self.built_in_calls.clear();
    }

    /// Forgets which code was in doubt: after another look at the list of code there may be proof.
    pub fn forget_doubts(&mut self) {
        if std::mem::take(&mut self.doubts).0 == 0 {
            return;
        }
        self.is_return.retain(|_, known| known.is_some());
        self.is_instruction.retain(|_, known| known.is_some());
        self.homes.retain(|_, known| known.is_ok());
        self.reserved.retain(|_, known| known.is_ok());
        self.built_in_calls.retain(|_, known| known.is_ok());
        self.frames.retain(|_, known| !known.is_in_doubt);
    }

    /// The frame of the code at an address.
    pub fn frame_at(
        &mut self,
        code: &CodeGenerations,
        memory: &impl TargetMemory,
        table: &mut FrameTable,
        address: CodeAddress,
    ) -> JitFrame {
        if let Some(known) = self.frames.get(&address) {
            return *known;
        }
        let marker = |frame, is_in_doubt| JitFrame {
            frame,
            is_known: false,
            schedules: false,
            is_bottom: false,
            continues_exit: false,
            ends_traced_call: false,
            is_around_functions: false,
            runs_breakpoint: false,
            is_in_doubt,
        };
        let found = match code_or_mark(code.locate(address.instruction())) {
            Ok(location) => match what_runs(code, memory, address, location) {
                Some(location) => {
                    self.named.note(&location);
                    located(table, &location)
                }
                None => JitFrame {
                    is_around_functions: true,
                    ..marker(table.mark(Mark::UnknownJit), true)
                },
            },
            // Not remembered: the code index of another sample may show whose the code was.
            Err(mark @ Mark::Reloaded(_)) => return marker(table.mark(mark), false),
            Err(mark) => marker(table.mark(mark), false),
        };
        self.doubts.0 = self.doubts.0.saturating_add(u32::from(found.is_in_doubt));
        with_room(&mut self.frames).insert(address, found);
        found
    }

    /// True when `address` follows a call in known JIT code.
    pub fn is_return_address(
        &mut self,
        code: &CodeGenerations,
        memory: &impl TargetMemory,
        jit: &[(u64, u64)],
        address: u64,
    ) -> bool {
        if !jit
            .iter()
            .any(|(start, end)| (*start..*end).contains(&address))
        {
            return false;
        }
        let doubts = &mut self.doubts;
        let follows_call = *with_room(&mut self.is_return)
            .entry(address)
            .or_insert_with(|| {
                let start = address.wrapping_sub(BYTES_BEFORE_RETURN as u64);
                doubts.or(|| code.decode_code(memory, start, BYTES_BEFORE_RETURN, ends_in_call))
            });
        // No term points into JIT code: where that is gone or cannot be read, it is one.
        follows_call.unwrap_or(true)
    }

    /// True when `address` is an instruction of interpreted code: its first word leads into the
    /// interpreter, whose main function is at `main`. `None` when that word is gone.
    pub fn is_instruction(
        &mut self,
        memory: &impl TargetMemory,
        code: &CodeGenerations,
        main: (u64, u64),
        address: u64,
    ) -> Option<bool> {
        let doubts = &mut self.doubts;
        *with_room(&mut self.is_instruction)
            .entry(address)
            .or_insert_with(|| {
                let leads_there = |word: u64| main.0 <= word && word < main.1;
                let decode = |bytes: &[u8]| u64_at(bytes, 0).is_some_and(leads_there);
                // Where code was replaced since the sample, the word there now proves nothing.
                match memory.read_u64(address) {
                    _ if !code.is_instruction(address) => Some(false),
                    Ok(word) if leads_there(word) => Some(true),
                    _ => doubts.or(|| code.decode_code(memory, address, 8, decode)),
                }
            })
    }

    /// Where the address of the Erlang instruction that is run is, when the interpreter's main
    /// function is at `pc`; that never changes.
    pub fn instruction_holders(
        &mut self,
        memory: &impl TargetMemory,
        ((start, end), roles): ((u64, u64), Roles),
        pc: u64,
        after_call: bool,
    ) -> &Holders {
        let main = main_code(&mut self.main, memory, (start, end));
        with_room(&mut self.holders)
            .entry((pc, after_call))
            .or_insert_with(|| instruction_holders((main, start), roles, pc, after_call))
    }

    /// True at a place `pc` of the interpreter's main function where the first function of a process
    /// has returned, to `normal_exit`, so that its stack is empty. `after_call`: `pc` is where a call
    /// returns to.
    pub fn ends_process(
        &mut self,
        memory: &impl TargetMemory,
        (start, end): (u64, u64),
        normal_exit: u64,
        (pc, after_call): (u64, bool),
    ) -> bool {
        let (first, after) = *self.ending.get_or_insert_with(|| {
            let main = main_code(&mut self.main, memory, (start, end));
            let first = memory.read_u64(normal_exit).unwrap_or(0);
            let after = end_of_instruction((main, start), first);
            (first, after.unwrap_or(first))
        });
        let address = pc.wrapping_sub(u64::from(after_call));
        first <= address && address < after
    }

    /// The name of the function of one instruction at `address`, by `read` unless it is known.
    pub fn stub_name(
        &mut self,
        address: u64,
        read: impl FnOnce() -> Option<Arc<str>>,
    ) -> Option<Arc<str>> {
        // Any word that may be an address is looked up.
        with_room(&mut self.stubs)
            .entry(address)
            .or_insert_with(read)
            .clone()
    }

    /// True when interpreted code goes on at `address` after a call.
    pub fn is_continuation(
        &mut self,
        memory: &impl TargetMemory,
        code: &CodeGenerations,
        main: (u64, u64),
        address: u64,
    ) -> bool {
        // The walk tries any word; only words in code are worth remembering. No term points into
        // code: where the code is gone or cannot be read, the word is a continuation.
        code.is_continuation(address)
            && self
                .is_instruction(memory, code, main, address)
                .unwrap_or(true)
    }

    /// Bytes on top of the stack that the code just before `pc` has reserved for variables: a word
    /// there may be a return address of the past, but is no frame.
    pub fn reserved_stack_bytes(
        &mut self,
        code: &CodeGenerations,
        memory: &impl TargetMemory,
        pc: u64,
    ) -> Result<u64, CodeInDoubt> {
        let doubts = &mut self.doubts;
        *with_room(&mut self.reserved).entry(pc).or_insert_with(|| {
            let (start, bytes) = code_before(code, pc, BYTES_BEFORE_PC);
            let decode = |before: &[u8]| reserved_stack_bytes(before).unwrap_or(0);
            let decoded = doubts.or(|| code.decode_code(memory, start, bytes, decode));
            decoded.ok_or(CodeInDoubt)
        })
    }

    /// The call of a built-in function that begins at `address`, or that returns there.
    pub fn built_in_call(
        &mut self,
        code: &CodeGenerations,
        memory: &impl TargetMemory,
        address: CodeAddress,
    ) -> Option<BuiltInCall> {
        let doubts = &mut self.doubts;
        let known = with_room(&mut self.built_in_calls).entry(address);
        let call = *known.or_insert_with(|| {
            let decoded = doubts.or(|| match address {
                CodeAddress::Runs(start) => {
                    let decode = |bytes: &[u8]| built_in_call_at(bytes, start);
                    code.decode_code(memory, start, BUILT_IN_CALL_BYTES, decode)
                }
                CodeAddress::ReturnsTo(end) => {
                    let (start, bytes) = code_before(code, end, BUILT_IN_CALL_BYTES);
                    let decode = |before: &[u8]| built_in_call_before(before, end);
                    code.decode_code(memory, start, bytes, decode)
                }
            });
            decoded.ok_or(CodeInDoubt)
        });
        call.ok().flatten()
    }

    /// The call of a built-in function by interpreted code that returns there: the instruction, which leads into the
    /// interpreter, the C function, and the function's entry as an exported one.
    pub fn interpreted_built_in_call(
        &mut self,
        code: &CodeGenerations,
        memory: &impl TargetMemory,
        is_main: impl Fn(u64) -> bool,
        returns_to: u64,
    ) -> Option<BuiltInCall> {
        const BYTES: usize = 24;
        let doubts = &mut self.doubts;
        let address = CodeAddress::ReturnsTo(returns_to);
        let known = with_room(&mut self.built_in_calls).entry(address);
        let call = *known.or_insert_with(|| {
            let decode = |before: &[u8]| {
                let word = |index: usize| u64_at(before, index * 8);
                let (shared, function, entry) = (word(0)?, word(1)?, word(2)?);
                let is_call = is_main(shared) && !is_main(entry) && entry.is_multiple_of(8);
                is_call.then_some(BuiltInCall {
                    shared,
                    function,
                    returns_to,
                })
            };
            let start = returns_to.wrapping_sub(BYTES as u64);
            let decoded = doubts.or(|| code.decode_code(memory, start, BYTES, decode));
            decoded.ok_or(CodeInDoubt)
        });
        call.ok().flatten()
    }

    /// Where the code at `pc`, just after a call into C, left the Erlang stack pointer.
    pub fn stack_pointer_home(
        &mut self,
        code: &CodeGenerations,
        memory: &impl TargetMemory,
        stop_offset: usize,
        pc: u64,
    ) -> Result<Option<StackPointerHome>, CodeInDoubt> {
        let doubts = &mut self.doubts;
        *with_room(&mut self.homes).entry(pc).or_insert_with(|| {
            let decode = |after: &[u8]| stack_pointer_home(after, stop_offset);
            let decoded = doubts.or(|| code.decode_code(memory, pc, BYTES_AFTER_RETURN, decode));
            decoded.ok_or(CodeInDoubt)
        })
    }
}

/// Where up to `most` bytes of code before `pc` begin, and how many they are: not beyond the module, since the kept copy
/// has nothing before it.
fn code_before(code: &CodeGenerations, pc: u64, most: usize) -> (u64, usize) {
    let before = pc.wrapping_sub(most as u64);
    let module = code.function_at(pc).map_or(before, |(module, _)| module);
    let start = before.max(module);
    let bytes = usize::try_from(pc.wrapping_sub(start)).unwrap_or(most);
    (start, bytes)
}

/// The frame of an instruction of an interpreter's own.
pub fn own_frame(table: &mut FrameTable, name: &'static str) -> Frame {
    let raw_name = format!("global::{name}");
    let facts = erlang_facts(FrameKind::Fragment, name.to_owned(), raw_name);
    table.frame(facts, 0, Naming::Named)
}

/// The frame of the function that a process began with, of which no code runs.
pub fn first_function(table: &mut FrameTable, raw_name: String) -> Frame {
    let facts = erlang_facts(FrameKind::Erlang, display_mfa(&raw_name), raw_name);
    table.frame(facts, 0, Naming::Named)
}

/// The interpreter's main function, read once.
fn main_code<'a>(
    known: &'a mut Option<Vec<u8>>,
    memory: &impl TargetMemory,
    (start, end): (u64, u64),
) -> &'a [u8] {
    known.get_or_insert_with(|| {
        let length = usize::try_from(end.saturating_sub(start)).unwrap_or(usize::MAX);
        let read = memory.read_vec(start, length, MAX_MAIN_BYTES);
        read.unwrap_or_default()
    })
}

/// The code that runs at a location. Around the functions of a module lie its tables, which nothing
/// runs, and the trampolines of its funs, which are part of the functions they lead to. `None` for
/// an address there that neither leads to a function nor follows a call.
fn what_runs(
    code: &CodeGenerations,
    memory: &impl TargetMemory,
    address: CodeAddress,
    location: CodeLocation,
) -> Option<CodeLocation> {
    if !matches!(location.name, RangeName::ModuleData(_)) {
        return Some(location);
    }
    match address {
        CodeAddress::Runs(pc) => {
            let module = &location.module;
            let end = module.base + u64::from(module.code_bytes);
            let bytes = usize::try_from(end - pc)
                .map_or(TRAMPOLINE_BYTES, |rest| rest.min(TRAMPOLINE_BYTES));
            let target = code.decode_code(memory, pc, bytes, |bytes| jump_target(bytes, pc))??;
            match code.locate(target) {
                Located::Known(led_to)
                    if led_to.module.base == module.base
                        && matches!(led_to.name, RangeName::Function { .. }) =>
                {
                    Some(led_to)
                }
                _ => None,
            }
        }
        CodeAddress::ReturnsTo(address) => {
            let start = address.wrapping_sub(BYTES_BEFORE_RETURN as u64);
            let follows_call = code.decode_code(memory, start, BYTES_BEFORE_RETURN, ends_in_call);
            (follows_call == Some(true)).then_some(location)
        }
    }
}

fn located(table: &mut FrameTable, location: &CodeLocation) -> JitFrame {
    let facts = code_facts(location);
    let schedules = matches!(&location.name, RangeName::Fragment(name)
        if SCHEDULING_FRAGMENTS.iter().any(|scheduling| name.starts_with(scheduling)));
    let is_own = &*location.module.name == JIT_MODULE;
    let is_bottom = facts.raw_name == BOTTOM_FUNCTION;
    let continues_exit = is_own && facts.raw_name == CONTINUED_EXIT;
    let ends_traced_call = is_own
        && TRACE_INSTRUCTIONS
            .iter()
            .any(|known| known.function == facts.raw_name);
    let is_around_functions = matches!(location.name, RangeName::ModuleData(_));
    JitFrame {
        frame: table.frame(facts, location.line, Naming::Named),
        is_known: !is_around_functions,
        schedules,
        is_bottom,
        continues_exit,
        ends_traced_call,
        is_around_functions,
        runs_breakpoint: matches!(&location.name, RangeName::Fragment(name) if **name == *LOCAL_BREAKPOINT),
        is_in_doubt: false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use capture::facts::{CaptureSettings, TargetFacts};
    use capture::writer::CaptureWriter;
    use target_memory::SnapshotMemory;
    use vm_code::descriptor::Descriptor;

    const DESCRIPTOR: Descriptor = Descriptor { address: 0x100 };
    const CODE_INDEX: u64 = 0x8000_0000;
    const PURGED: u64 = 0x50_0000;
    const MS: u64 = 1_000_000;

    /// The description of a module `m` at `base` with one function of 64 bytes, `m:f/0`.
    fn described(base: u64) -> Vec<u8> {
        let numbers = |numbers: &[u32]| -> Vec<u8> {
            let bytes = numbers.iter().flat_map(|number| number.to_le_bytes());
            bytes.collect()
        };
        [
            &numbers(&[1, 0])[..],
            &base.to_le_bytes()[..],
            &numbers(&[1, 64])[..],
            &b"\x02\0m\0\0\0\0\0\0\0"[..],
            &numbers(&[0, 64, 0])[..],
            &b"\x06\0m:f/0\0\0\0"[..],
        ]
        .concat()
    }

    /// A VM that lists code at these addresses, newest first, with a code index of 2.
    fn vm(bases: &[u64]) -> SnapshotMemory {
        let emulator = [0_u64, 0, 0xe417, 0];
        let emulator = emulator.iter().flat_map(|word| word.to_le_bytes());
        let modules = bases.iter().map(|base| described(*base));
        let all: Vec<Vec<u8>> = modules.chain([emulator.collect()]).collect();
        let entry = |index: usize| match all.len() - index {
            0 => 0,
            from_last => 0x1000 * from_last as u64,
        };
        let mut memory = SnapshotMemory::new();
        memory.map_words(DESCRIPTOR.address, &[1, 0, entry(0)]);
        memory.map(CODE_INDEX, vec![2, 0, 0, 0]);
        for (index, blob) in all.iter().enumerate() {
            let previous = index.checked_sub(1).map_or(0, entry);
            let at = 0x10_0000 + entry(index);
            let words = [entry(index + 1), previous, at, blob.len() as u64];
            memory.map_words(entry(index), &words);
            memory.map(at, blob.clone());
        }
        memory
    }

    #[test]
    fn code_in_doubt_is_named_once_another_sample_shows_whose_it_was() {
        let (before, after) = (vm(&[PURGED, 0x60_0000]), vm(&[0x60_0000]));
        let mut code = CodeGenerations::read(&before, DESCRIPTOR).unwrap();
        code.watch_code_index(&before, Some(CODE_INDEX));
        assert!(!code.refresh(&before, &|| MS).unwrap());
        // It may have gone round in so long a time.
        assert!(code.refresh(&after, &|| 50 * MS).unwrap());
        let writer = CaptureWriter::new(TargetFacts::default(), CaptureSettings::default());
        let (mut table, mut known) = (FrameTable::new(writer), ErlangCode::default());
        let mut name_of = |code: &CodeGenerations, address: u64| {
            let frame = known.frame_at(code, &after, &mut table, CodeAddress::Runs(address));
            table.shown(&frame.frame).1.to_owned()
        };
        assert_eq!(name_of(&code, 0x60_0010), "m:f/0");
        assert_eq!(name_of(&code, PURGED + 16), "[code reloaded: just purged]");
        for at_ns in (9..50).step_by(8).map(|ms| ms * MS) {
            code.note_code_index(at_ns, Some(2));
        }
        assert_eq!(name_of(&code, PURGED + 16), "m:f/0");
    }

    #[test]
    fn only_of_known_code_it_is_known_whether_it_schedules() {
        let memory = vm(&[0x60_0000]);
        let code = CodeGenerations::read(&memory, DESCRIPTOR).unwrap();
        let writer = CaptureWriter::new(TargetFacts::default(), CaptureSettings::default());
        let (mut table, mut known) = (FrameTable::new(writer), ErlangCode::default());
        let mut is_known = |address| {
            let address = CodeAddress::Runs(address);
            known.frame_at(&code, &memory, &mut table, address).is_known
        };
        assert!(is_known(0x60_0010));
        assert!(!is_known(0x70_0010));
    }
}
