//! C and kernel addresses to frames, remembered as long as the mappings stay.

use std::collections::HashMap;
use std::fs::File;
use std::io::BufReader;

use attach::is_nif_library;
use capture::sample::{FrameKind, FunctionFacts};
use native_code::kernel_symbols::KernelSymbols;
use native_code::object_map::ObjectMap;
use vm_tables::bifs::BifTable;
use vm_tables::callees::CalleeNames;

use super::frames::{Frame, FrameTable, Naming};

const KERNEL_OBJECT: &str = "[kernel]";

/// A frame of C code.
#[derive(Debug, Clone, Copy)]
pub struct CFrame {
    /// The frame.
    pub frame: Frame,
    /// The BIF that this C function implements.
    pub bif: Option<Frame>,
}

/// What is known of C and kernel addresses.
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
    pub fn frame_at(
        &mut self,
        objects: &ObjectMap,
        bifs: &BifTable,
        callees: &CalleeNames,
        table: &mut FrameTable,
        address: u64,
    ) -> CFrame {
        if let Some(known) = self.frames.get(&address) {
            return *known;
        }
        let found = self.c_frame(objects, bifs, callees, table, address);
        self.frames.insert(address, found);
        found
    }

    fn c_frame(
        &mut self,
        objects: &ObjectMap,
        bifs: &BifTable,
        callees: &CalleeNames,
        table: &mut FrameTable,
        address: u64,
    ) -> CFrame {
        let Some(object) = objects.object_at(address) else {
            return CFrame {
                frame: table.marker("[unknown code]", Naming::Unresolved),
                bif: None,
            };
        };
        let kind =
            *self
                .kinds
                .entry(object.start_avma)
                .or_insert_with(|| match is_nif_library(object) {
                    true => FrameKind::Nif,
                    false => FrameKind::Native,
                });
        let Some(function) = object.function_at(address) else {
            let name = format!("{}!?", object.name);
            let frame = table.frame(
                facts(name, kind, object.name.to_string()),
                0,
                Naming::Unresolved,
            );
            return CFrame { frame, bif: None };
        };
        let start_avma = function.start_svma.wrapping_add(object.bias);
        let (name, naming) = match callees.name_of(start_avma) {
            _ if function.name.is_named() => (function.name.shown(&object.name), Naming::Named),
            Some(callee) => (callee.shown(), Naming::Named),
            None => (function.name.shown(&object.name), Naming::Unnamed),
        };
        let frame = table.frame(facts(name, kind, object.name.to_string()), 0, naming);
        let bif = bifs.name_of(start_avma).map(|name| {
            let facts = facts(name.to_owned(), FrameKind::Bif, object.name.to_string());
            table.frame(facts, 0, Naming::Named)
        });
        CFrame { frame, bif }
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
        self.kernel_frames.insert(address, frame);
        frame
    }
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
