//! The ELF objects mapped by the target, read once each.

use std::collections::HashMap;
use std::sync::Arc;

use native_code::image::ObjectImage;
use native_code::object_map::{MappedObject, ObjectMap};
use target_memory::TargetMemory;
use target_proc::object_file::{KnownBy, OpenedBy};
use target_proc::process::is_emulator_name;
use target_proc::{Mapping, ProcFs};
use vm_layout::emulator_image::ImageRanges;

use crate::debug_symbols::{DebugSymbols, add_debug_symbols};
use crate::same_file::is_mapped;

/// The vdso is two pages on every kernel known; more than this is not it.
const MAX_VDSO_BYTES: usize = 64 << 10;

/// Device and inode: the same file, whatever it is called.
type FileKey = ((u32, u32), u64);

/// The objects of one target, and its mappings as of the last look.
#[derive(Debug)]
pub struct TargetObjects {
    pid: u32,
    images: HashMap<FileKey, Option<Arc<ObjectImage>>>,
    vdso: Option<Arc<ObjectImage>>,
    /// Executable mappings as of the last look: start, end, inode.
    executable: Vec<(u64, u64, u64)>,
    /// Objects by address.
    pub map: ObjectMap,
    /// Executable mappings that hold JIT code, by address.
    pub jit_mappings: Vec<(u64, u64)>,
    /// Objects that could not be read, and why.
    pub unreadable: Vec<String>,
    /// Objects read from files, in the order of their first sight.
    pub read: Vec<ReadObject>,
}

/// A file that was read.
#[derive(Debug, Clone)]
pub struct ReadObject {
    /// As the mapping names it.
    pub path: String,
    /// Which way led to it.
    pub opened_by: OpenedBy,
    /// How it is known to be the mapped one.
    pub known_by: KnownBy,
    /// What its separate debug file gave.
    pub debug: DebugSymbols,
}

impl TargetObjects {
    /// Nothing read yet.
    pub fn new(pid: u32) -> Self {
        Self {
            pid,
            images: HashMap::new(),
            vdso: None,
            executable: Vec::new(),
            map: ObjectMap::default(),
            jit_mappings: Vec::new(),
            unreadable: Vec::new(),
            read: Vec::new(),
        }
    }

    /// Objects known from elsewhere than a process's mappings.
    pub fn from_parts(map: ObjectMap, jit_mappings: Vec<(u64, u64)>) -> Self {
        Self {
            map,
            jit_mappings,
            ..Self::new(0)
        }
    }

    /// Looks at `mappings` again and returns whether executable ones have changed; objects known
    /// already are not read again.
    pub fn refresh(&mut self, memory: &impl TargetMemory, mappings: &[Mapping]) -> bool {
        let executable: Vec<(u64, u64, u64)> = mappings
            .iter()
            .filter(|mapping| mapping.permissions.exec)
            .map(|mapping| (mapping.start, mapping.end, mapping.inode))
            .collect();
        if executable == self.executable {
            return false;
        }
        self.executable = executable;
        self.jit_mappings = mappings
            .iter()
            .filter(|m| is_jit(m))
            .map(|m| (m.start, m.end))
            .collect();
        let mut mapped = Vec::new();
        for mapping in mappings.iter().filter(|mapping| mapping.permissions.exec) {
            let Some(image) = self.image_of(memory, mapping) else {
                continue;
            };
            let bias = image.bias_of_mapping(mapping.start, mapping.file_offset, true);
            mapped.extend(bias.map(|bias| MappedObject {
                start_avma: mapping.start,
                end_avma: mapping.end,
                bias,
                image,
                name: mapping.file_name().into(),
            }));
        }
        self.map = ObjectMap::new(mapped);
        true
    }

    /// Where the emulator put `symbol`.
    pub fn emulator_symbol(&self, symbol: &str) -> Option<u64> {
        let emulator = self.emulator()?;
        let (svma, _) = emulator.image.symbol_named(symbol)?;
        Some(svma.wrapping_add(emulator.bias))
    }

    /// The emulator's own code.
    pub fn emulator(&self) -> Option<&MappedObject> {
        let is_emulator = |object: &&MappedObject| is_emulator_name(&object.name);
        self.map.objects().iter().find(is_emulator)
    }

    /// Where the emulator's variables, constants and code are loaded.
    pub fn emulator_ranges(&self) -> ImageRanges {
        self.emulator().map(ranges_of).unwrap_or_default()
    }

    /// Where the parts of every object are loaded that may have tables of native functions: NIF
    /// libraries, drivers, and the emulator for those linked with it.
    pub fn native_table_ranges(&self) -> Vec<ImageRanges> {
        let emulator = self.emulator().map(|emulator| emulator.start_avma);
        let has_tables =
            |object: &&MappedObject| Some(object.start_avma) == emulator || is_nif_library(object);
        let objects = self.map.objects().iter();
        objects.filter(has_tables).map(ranges_of).collect()
    }

    fn image_of(
        &mut self,
        memory: &impl TargetMemory,
        mapping: &Mapping,
    ) -> Option<Arc<ObjectImage>> {
        if mapping.path == "[vdso]" {
            if self.vdso.is_none() {
                let len_bytes = usize::try_from(mapping.len()).ok()?;
                let bytes = memory
                    .read_vec(mapping.start, len_bytes, MAX_VDSO_BYTES)
                    .ok()?;
                self.vdso = ObjectImage::read(bytes.as_slice()).ok().map(Arc::new);
            }
            return self.vdso.clone();
        }
        if !mapping.is_file() || is_jit(mapping) {
            return None;
        }
        let key = (mapping.device, mapping.inode);
        if let Some(known) = self.images.get(&key) {
            return known.clone();
        }
        let read = ProcFs::live()
            .open_object(self.pid, mapping, |file| is_mapped(memory, mapping, file))
            .map_err(|error| error.to_string())
            .and_then(|object| {
                let image = ObjectImage::read(&object.file).map_err(|error| error.to_string())?;
                Ok((object, image))
            });
        let read = read.map(|(object, mut image)| {
            self.read.push(ReadObject {
                path: mapping.path.clone(),
                opened_by: object.opened_by,
                known_by: object.known_by,
                debug: add_debug_symbols(self.pid, mapping, &mut image),
            });
            image
        });
        let image = match read {
            Ok(image) => Some(Arc::new(image)),
            Err(reason) => {
                self.unreadable.push(format!("{}: {reason}", mapping.path));
                None
            }
        };
        self.images.insert(key, image.clone());
        image
    }
}

fn ranges_of(object: &MappedObject) -> ImageRanges {
    let mut ranges = ImageRanges::default();
    for part in object.image.loaded_ranges() {
        let start = part.svma.wrapping_add(object.bias);
        let range = (start, start.saturating_add(part.memory_bytes));
        match (part.is_executable, part.is_writable) {
            (true, _) => ranges.code.push(range),
            (false, true) => ranges.variables.push(range),
            (false, false) => ranges.constants.push(range),
        }
    }
    ranges
}

/// JIT code is a shared memory file mapped twice, or (with `+JMsingle`) anonymous.
fn is_jit(mapping: &Mapping) -> bool {
    let anonymous = mapping.path.is_empty() && mapping.permissions.write;
    mapping.permissions.exec && (mapping.path.starts_with("/memfd:vmem") || anonymous)
}

/// True for a library that the VM loaded as NIFs or as a driver, rather than linked with.
pub fn is_nif_library(object: &MappedObject) -> bool {
    ["nif_init", "driver_init"]
        .iter()
        .any(|name| object.image.symbol_named(name).is_some())
}
