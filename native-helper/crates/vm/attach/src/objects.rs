//! The ELF objects mapped by the target, read once each.

use std::fs::File;
use std::io;
use std::sync::Arc;

use native_code::image::{BuildId, ImageError, ObjectImage};
use native_code::object_map::{MappedObject, ObjectMap};
use permitted_target::PermittedTarget;
use shared_map::HashMap;
use target_memory::{BudgetSpent, ByteBudget, Held, TargetMemory};
use target_proc::object_file::{KnownBy, OpenedBy};
use target_proc::process::is_emulator_name;
use target_proc::{Mapping, ProcFs, ProcRights, WaitLimit};
use vm_layout::emulator_image::ImageRanges;

use crate::debug_symbols::{DebugSymbols, add_debug_symbols};
use crate::error::AttachError;
use crate::same_file::{is_mapped, read_image};

/// The vdso is two pages on every kernel known; more than this is not it.
const MAX_VDSO_BYTES: usize = 64 << 10;

/// Device and inode: the same file, whatever it is called.
type FileKey = ((u32, u32), u64);

/// The objects of one target, and its mappings as of the last reading.
#[derive(Debug)]
pub struct TargetObjects {
    pid: u32,
    rights: LinkRights,
    images: HashMap<FileKey, Option<Arc<ObjectImage>>>,
    vdso: Option<Arc<ObjectImage>>,
    /// Executable mappings as of the last reading: start, end, inode.
    executable: Vec<(u64, u64, u64)>,
    /// Objects by address.
    pub map: ObjectMap,
    /// Executable mappings that hold JIT code, by address.
    pub jit_mappings: Vec<(u64, u64)>,
    /// Objects that could not be read, and why.
    pub unreadable: Vec<String>,
    /// Objects read from files, in the order of their first sight.
    pub read: Vec<ReadObject>,
    /// The budget that was spent at the last reading, if any: then the objects are not complete.
    pub spent: Option<BudgetSpent>,
    /// How long its files are waited for.
    patience: WaitLimit,
    /// The part of the target's budget that the lists above take.
    held: Option<Held>,
}

/// The rights to follow the links of the process's folder of `/proc`: `root`, `exe`, `map_files`.
#[derive(Debug, Clone)]
pub(crate) struct LinkRights(Option<PermittedTarget>);

impl ProcRights for LinkRights {
    fn within<T>(&self, look: impl FnOnce() -> T) -> T {
        match &self.0 {
            Some(target) => target.within(look),
            None => look(),
        }
    }
}

/// The most that a mapping takes beside its object: its places in lists, and its name.
const MAPPING_BYTES: usize = 512;

/// A file that was read.
#[derive(Debug, Clone)]
pub struct ReadObject {
    /// As the mapping names it.
    pub path: String,
    /// Which way led to it.
    pub opened_by: OpenedBy,
    /// How it is known to be the mapped one.
    pub known_by: KnownBy,
    /// The result of the search for its separate debug file.
    pub debug: DebugSymbols,
    /// The build it is of.
    pub build_id: Option<BuildId>,
    /// Whether a full symbol table names its functions, its own or that of a debug file.
    pub has_names: bool,
}

impl ReadObject {
    /// The last part of its path.
    #[must_use]
    pub fn name(&self) -> &str {
        let path = self.path.strip_suffix(" (deleted)").unwrap_or(&self.path);
        path.rsplit_once('/').map_or(path, |(_, name)| name)
    }
}

impl TargetObjects {
    /// Nothing read yet.
    pub fn new(pid: u32) -> Self {
        Self {
            pid,
            rights: LinkRights(None),
            images: HashMap::new(),
            vdso: None,
            executable: Vec::new(),
            map: ObjectMap::default(),
            jit_mappings: Vec::new(),
            unreadable: Vec::new(),
            read: Vec::new(),
            spent: None,
            patience: WaitLimit::default(),
            held: None,
        }
    }

    /// The same of a permitted target, with the rights to find its files.
    #[must_use]
    pub fn of_target(target: &PermittedTarget) -> Self {
        Self {
            rights: LinkRights(Some(target.clone())),
            ..Self::new(target.pid())
        }
    }

    /// How long its files may still take.
    pub(crate) fn patience(&self) -> WaitLimit {
        self.patience.clone()
    }

    /// The objects that a process has mapped now, and nothing else of it.
    ///
    /// # Errors
    /// `/proc` does not report its mappings.
    pub fn of_process(pid: u32) -> Result<Self, AttachError> {
        let target = PermittedTarget::open(pid)?;
        let mappings = target
            .within(|| ProcFs::live().maps(pid))
            .map_err(|error| AttachError::from_proc(pid, error))?;
        let mut objects = Self::of_target(&target);
        objects.refresh(&target.memory()?, &mappings);
        target.check()?;
        Ok(objects)
    }

    /// Objects whose functions no full symbol table names, the emulator first.
    pub fn without_names(&self) -> impl Iterator<Item = &ReadObject> {
        let nameless = || self.read.iter().filter(|object| !object.has_names);
        let is_emulator = |object: &&ReadObject| is_emulator_name(object.name());
        nameless()
            .filter(is_emulator)
            .chain(nameless().filter(move |object| !is_emulator(object)))
    }

    /// Whether static functions of the emulator, or of a library with NIFs or a driver, have no name.
    pub fn lacks_names_of_vm(&self) -> bool {
        let is_of_vm =
            |object: &&MappedObject| is_emulator_name(&object.name) || is_nif_library(object);
        let mut objects = self.map.objects().iter().filter(is_of_vm);
        objects.any(|object| !object.image.has_full_names())
    }

    /// Objects known from elsewhere than a process's mappings.
    pub fn from_parts(map: ObjectMap, jit_mappings: Vec<(u64, u64)>) -> Self {
        Self {
            map,
            jit_mappings,
            ..Self::new(0)
        }
    }

    /// Reads `mappings` again and returns whether executable ones have changed; known objects are
    /// not read again.
    pub fn refresh(&mut self, memory: &impl TargetMemory, mappings: &[Mapping]) -> bool {
        let executable: Vec<(u64, u64, u64)> = mappings
            .iter()
            .filter(|mapping| mapping.permissions.exec)
            .map(|mapping| (mapping.start, mapping.end, mapping.inode))
            .collect();
        if executable == self.executable {
            return false;
        }
        self.spent = None;
        // Given back first: the lists are made anew.
        self.held = None;
        let lists = executable.len().saturating_mul(MAPPING_BYTES);
        match memory.budget().hold("mappings", lists) {
            Ok(held) => self.held = Some(held),
            Err(spent) => {
                self.spent = Some(spent);
                return false;
            }
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
    /// libraries, drivers, and the emulator for those linked with it; each with the name of its file.
    pub fn native_table_ranges(&self) -> Vec<(String, ImageRanges)> {
        let emulator = self.emulator().map(|emulator| emulator.start_avma);
        let has_tables =
            |object: &&MappedObject| Some(object.start_avma) == emulator || is_nif_library(object);
        let objects = self.map.objects().iter();
        objects
            .filter(has_tables)
            .map(|object| (object.name.to_string(), ranges_of(object)))
            .collect()
    }

    /// Of any memory by the same code: this is most of attaching, and no crate that attaches needs its own.
    fn image_of(
        &mut self,
        memory: &dyn TargetMemory,
        mapping: &Mapping,
    ) -> Option<Arc<ObjectImage>> {
        if mapping.path == "[vdso]" {
            if self.vdso.is_none() {
                let len_bytes = usize::try_from(mapping.len()).ok()?;
                let bytes = memory
                    .read_vec(mapping.start, len_bytes, MAX_VDSO_BYTES)
                    .ok()?;
                let image = ObjectImage::read_within(bytes.as_slice(), memory.budget());
                self.vdso = image.ok().map(Arc::new);
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
        let image = match self.read_object(memory, mapping) {
            Ok(image) => Some(Arc::new(image)),
            Err(NotRead::BudgetSpent(spent)) => {
                self.spent.get_or_insert(spent);
                None
            }
            Err(NotRead::Other(reason)) => {
                self.note_unreadable(memory.budget(), &mapping.path, &reason);
                None
            }
        };
        self.images.insert(key, image.clone());
        image
    }

    fn read_object(
        &mut self,
        memory: &dyn TargetMemory,
        mapping: &Mapping,
    ) -> Result<ObjectImage, NotRead> {
        let (budget, patience, rights) = (memory.budget(), &self.patience, &self.rights);
        let object = ProcFs::live()
            .open_object(self.pid, mapping, (patience, rights), |file| {
                is_mapped(&memory, mapping, patience, file)
            })
            .map_err(|error| NotRead::Other(error.to_string()))?;
        let image = read_image(&object.file, budget, patience)
            .map_err(|error| NotRead::Other(error.to_string()))??;
        let (image, debug) =
            add_debug_symbols(self.pid, mapping, image, (budget, patience, rights))
                .map_err(|error| NotRead::Other(error.to_string()))?;
        let image = with_source_lines(image, &object.file, (budget, patience))
            .map_err(|error| NotRead::Other(error.to_string()))?;
        self.read.push(ReadObject {
            path: mapping.path.clone(),
            opened_by: object.opened_by,
            known_by: object.known_by,
            debug,
            build_id: image.build_id().cloned(),
            has_names: image.has_full_names(),
        });
        Ok(image)
    }

    fn note_unreadable(&mut self, budget: &ByteBudget, path: &str, reason: &str) {
        let note = format!("{path}: {reason}");
        let held = match &mut self.held {
            Some(held) => held.grow("mapped files", note.len()),
            None => budget.hold("mapped files", note.len()).map(drop),
        };
        match held {
            Ok(()) => self.unreadable.push(note),
            Err(spent) => {
                self.spent.get_or_insert(spent);
            }
        }
    }
}

/// Adds source lines from the object itself, when its debug file has none.
fn with_source_lines(
    mut image: ObjectImage,
    file: &File,
    (budget, patience): (&ByteBudget, &WaitLimit),
) -> io::Result<ObjectImage> {
    let (file, budget) = (file.try_clone()?, budget.clone());
    patience.wait(move || {
        image.add_source_lines(&file, &budget);
        image
    })
}

/// Why there is no image of an object.
enum NotRead {
    BudgetSpent(BudgetSpent),
    Other(String),
}

impl From<ImageError> for NotRead {
    fn from(error: ImageError) -> Self {
        match error {
            ImageError::BudgetSpent(spent) => Self::BudgetSpent(spent),
            other => Self::Other(other.to_string()),
        }
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
