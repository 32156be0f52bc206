//! C and kernel addresses to frames, remembered as long as the mappings stay.

use std::collections::HashMap;
use std::fs::File;
use std::io::BufReader;

use attach::{AttachedVm, is_nif_library};
use capture::marks::Mark;
use capture::sample::{FrameKind, FunctionFacts};
use native_code::demangle::demangle;
use native_code::kernel_symbols::KernelSymbols;
use native_code::unwind_c::NativeFrame;
use native_code::{MappedObject, SourceFrame};
use vm_tables::native_tables::TableKind;

use super::destructors::Call;
use super::frames::{Frame, FrameTable, Naming};
use super::remembered::with_room;

const KERNEL_OBJECT: &str = "[kernel]";

/// A frame of C code.
#[derive(Debug)]
pub struct CFrame {
    /// Functions that were inlined there, the innermost first.
    pub inlined: Box<[Frame]>,
    /// The frame.
    pub frame: Frame,
    /// The BIF or NIF that this C function implements, when its own frame does not show it.
    pub erlang_function: Option<Frame>,
    /// The callback of a driver that this C function is, when its own frame does not show it.
    pub callback: Option<Frame>,
    /// It implements one, and that is shown.
    pub is_erlang_function: bool,
    /// Where its function starts, if that is known.
    start_avma: Option<u64>,
}

impl CFrame {
    fn of(frame: Frame) -> Self {
        Self {
            inlined: Box::default(),
            frame,
            erlang_function: None,
            callback: None,
            is_erlang_function: false,
            start_avma: None,
        }
    }
}

/// The known facts about C and kernel addresses.
#[derive(Debug, Default)]
pub struct NativeFrames {
    frames: HashMap<u64, CFrame>,
    kernel_frames: HashMap<u64, Frame>,
    /// Kind of code of each object, by the address it is mapped at.
    kinds: HashMap<u64, FrameKind>,
    kernel: Option<KernelSymbols>,
}

impl NativeFrames {
    /// With kernel names when `kernel` is set and the kernel shows them.
    pub fn new(kernel: bool) -> Self {
        let symbols = || {
            let file = File::open("/proc/kallsyms").ok()?;
            KernelSymbols::read(BufReader::new(file)).ok()
        };
        Self {
            kernel: kernel.then(symbols).flatten(),
            ..Self::default()
        }
    }

    /// Forgets C addresses: something was mapped or unmapped.
    pub fn forget(&mut self) {
        self.frames.clear();
        self.kinds.clear();
    }

    /// The frame at `address`, of a call for a return address.
    pub fn frame_at<M>(
        &mut self,
        vm: &AttachedVm<M>,
        table: &mut FrameTable,
        address: u64,
    ) -> &CFrame {
        if !self.frames.contains_key(&address) {
            let found = self.c_frame(vm, table, address);
            with_room(&mut self.frames).insert(address, found);
        }
        &self.frames[&address]
    }

    /// The calls of a C stack, the outermost first; in `frames`, the innermost comes first.
    pub fn calls<M>(
        &mut self,
        vm: &AttachedVm<M>,
        table: &mut FrameTable,
        frames: &[NativeFrame],
    ) -> impl Iterator<Item = Call> {
        let is_of_emulator = is_of_emulator(vm);
        (0..frames.len()).rev().filter_map(move |index| {
            let found = self.frame_at(vm, table, frames.get(index)?.lookup_avma());
            Some(Call {
                start: found.start_avma,
                is_of_library: found.frame.kind == FrameKind::Nif,
                is_by_emulator: frames.get(index + 1).is_some_and(&is_of_emulator),
            })
        })
    }

    /// Whether a function of a library, or one that implements a BIF, is among them: dirty schedulers run these for
    /// processes alone.
    pub fn run_for_process<M>(
        &mut self,
        vm: &AttachedVm<M>,
        table: &mut FrameTable,
        frames: &[NativeFrame],
    ) -> bool {
        frames.iter().any(|frame| {
            let found = self.frame_at(vm, table, frame.lookup_avma());
            found.is_erlang_function || found.frame.kind == FrameKind::Nif
        })
    }

    /// Whether the name of a function of the emulator was stripped.
    pub fn lack_names<M>(
        &mut self,
        vm: &AttachedVm<M>,
        table: &mut FrameTable,
        frames: &[NativeFrame],
    ) -> bool {
        let is_of_emulator = is_of_emulator(vm);
        let mut of_emulator = frames.iter().filter(|frame| is_of_emulator(frame));
        of_emulator.any(|frame| {
            let found = self.frame_at(vm, table, frame.lookup_avma());
            found.frame.naming == Naming::Unnamed
        })
    }

    fn c_frame<M>(&mut self, vm: &AttachedVm<M>, table: &mut FrameTable, address: u64) -> CFrame {
        let Some(object) = vm.objects.map.object_at(address) else {
            return CFrame::of(table.mark(Mark::UnknownCode));
        };
        let kind =
            *self
                .kinds
                .entry(object.start_avma)
                .or_insert_with(|| match is_nif_library(object) {
                    true => FrameKind::Nif,
                    false => FrameKind::Native,
                });
        let named = |name: String, kind| facts(name, kind, object.name.to_string());
        let Some(function) = object.function_at(address) else {
            let facts = named(format!("{}!?", object.name), kind);
            return CFrame::of(table.frame(facts, 0, Naming::Unresolved));
        };
        let start_avma = function.start_svma.wrapping_add(object.bias);
        let role = role_of(vm, start_avma, kind);
        let is_erlang_function = matches!(role, Some((_, _, Role::ErlangFunction)));
        if function.name.is_named() {
            let facts = FunctionFacts {
                raw_name: function.name.raw(&object.name),
                ..named(function.name.shown(&object.name), kind)
            };
            let mut found = source_frames(table, object, address, facts);
            found.is_erlang_function = is_erlang_function;
            found.start_avma = Some(start_avma);
            if let Some((name, kind, role)) = role {
                let frame = Some(table.frame(named(name, kind), 0, Naming::Named));
                match role {
                    Role::ErlangFunction => found.erlang_function = frame,
                    Role::Callback => found.callback = frame,
                }
            }
            return found;
        }
        // A function without a symbol is called by the best of the other names.
        let callee = || {
            vm.callee_name(start_avma)
                .map(|callee| (callee.shown(), kind))
        };
        let role = role.map(|(name, kind, _)| (name, kind));
        let frame = match role.or_else(callee) {
            Some((name, kind)) => table.frame(named(name, kind), 0, Naming::Named),
            None => {
                let name = function.name.shown(&object.name);
                table.frame(named(name, kind), 0, Naming::Unnamed)
            }
        };
        CFrame {
            is_erlang_function,
            start_avma: Some(start_avma),
            ..CFrame::of(frame)
        }
    }

    /// The frame of a built-in function that is known by its Erlang name.
    pub fn built_in<M>(vm: &AttachedVm<M>, table: &mut FrameTable, name: &str) -> Frame {
        let emulator = vm.objects.emulator();
        let object = emulator.map_or_else(String::new, |object| object.name.to_string());
        let facts = facts(name.to_owned(), FrameKind::Bif, object);
        table.frame(facts, 0, Naming::Named)
    }

    /// The frame at a kernel address. Without kernel names it is just `[kernel]`.
    pub fn kernel_frame_at(&mut self, table: &mut FrameTable, address: u64) -> Frame {
        let address = if self.kernel.is_some() { address } else { 0 };
        if let Some(known) = self.kernel_frames.get(&address) {
            return *known;
        }
        let symbol = self
            .kernel
            .as_ref()
            .and_then(|kernel| kernel.function_at(address));
        let name = symbol
            .map_or(KERNEL_OBJECT, |symbol| symbol.name)
            .to_owned();
        let object = symbol.and_then(|symbol| symbol.module).map_or_else(
            || KERNEL_OBJECT.to_owned(),
            |module| format!("[kernel {module}]"),
        );
        let frame = table.frame(facts(name, FrameKind::Kernel, object), 0, Naming::Named);
        with_room(&mut self.kernel_frames).insert(address, frame);
        frame
    }
}

/// Whether the code of a frame is the emulator's.
fn is_of_emulator<M>(vm: &AttachedVm<M>) -> impl Fn(&NativeFrame) -> bool {
    let emulator = vm.objects.emulator();
    let code = emulator.map(|it| it.start_avma..it.end_avma);
    move |frame| {
        let code = code.as_ref();
        code.is_some_and(|code| code.contains(&frame.lookup_avma()))
    }
}

/// The frame of a named function, with its line and those that were inlined into it, as far as debug
/// information shows them.
fn source_frames(
    table: &mut FrameTable,
    object: &MappedObject,
    address: u64,
    outer: FunctionFacts,
) -> CFrame {
    let mut found = object.source_frames_at(address);
    let Some(of_outer) = found.pop() else {
        return CFrame::of(table.frame(outer, 0, Naming::Named));
    };
    let mut inlined = Vec::new();
    for frame in found.into_iter().filter(|frame| !frame.name.is_empty()) {
        let named = FunctionFacts {
            raw_name: frame.name.clone(),
            ..facts(demangle(&frame.name), outer.kind, outer.object.clone())
        };
        let line = frame.line;
        inlined.push(Frame {
            is_inlined: true,
            ..table.frame(placed(named, frame), line, Naming::Named)
        });
    }
    let line = of_outer.line;
    CFrame {
        inlined: inlined.into(),
        ..CFrame::of(table.frame(placed(outer, of_outer), line, Naming::Named))
    }
}

fn placed(facts: FunctionFacts, frame: SourceFrame) -> FunctionFacts {
    FunctionFacts {
        file: frame.file,
        head_line: frame.head_line,
        ..facts
    }
}

/// What a C function is to the VM.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    /// It implements a BIF or a NIF.
    ErlangFunction,
    /// A driver has it to be called for its ports.
    Callback,
}

/// What the C function at `start_avma` is to the VM, with its name there: by the VM's table of BIFs or the object's own
/// of NIFs or callbacks. NIFs linked with the emulator are built in as well.
fn role_of<M>(
    vm: &AttachedVm<M>,
    start_avma: u64,
    object_kind: FrameKind,
) -> Option<(String, FrameKind, Role)> {
    if let Some(name) = vm.bifs.name_of(start_avma) {
        return Some((name.to_owned(), FrameKind::Bif, Role::ErlangFunction));
    }
    let table = vm.native_tables.name_of(start_avma)?;
    let (kind, role) = match (table.kind, object_kind) {
        (TableKind::Nif, FrameKind::Native) => (FrameKind::Bif, Role::ErlangFunction),
        (TableKind::Nif, _) => (object_kind, Role::ErlangFunction),
        (TableKind::Driver, _) => (object_kind, Role::Callback),
    };
    Some((table.shown.to_string(), kind, role))
}

fn facts(name: String, kind: FrameKind, object: String) -> FunctionFacts {
    FunctionFacts {
        raw_name: name.clone(),
        name,
        kind,
        file: String::new(),
        head_line: 0,
        object,
    }
}
