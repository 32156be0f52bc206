//! Where which object is mapped.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use shared_sort::SharedSort;

use crate::image::ObjectImage;
use crate::source_lines::SourceFrame;
use crate::symbols::NativeFunction;

/// One executable mapping of an object.
#[derive(Debug, Clone)]
pub struct MappedObject {
    /// First address.
    pub start_avma: u64,
    /// First address after it.
    pub end_avma: u64,
    /// `avma - svma`, see [`ObjectImage::bias_of_mapping`].
    pub bias: u64,
    /// The object.
    pub image: Arc<ObjectImage>,
    /// Its file name, for showing: `beam.smp`, `libc.so.6`, `[vdso]`.
    pub name: Arc<str>,
}

impl MappedObject {
    /// The function at an address of the process.
    #[must_use]
    pub fn function_at(&self, avma: u64) -> Option<NativeFunction<'_>> {
        self.image.function_at(avma.wrapping_sub(self.bias))
    }

    /// The functions at an address of the process, see [`ObjectImage::source_frames_at`].
    #[must_use]
    pub fn source_frames_at(&self, avma: u64) -> Vec<SourceFrame> {
        self.image.source_frames_at(avma.wrapping_sub(self.bias))
    }
}

/// All objects of one process.
#[derive(Debug, Clone, Default)]
pub struct ObjectMap {
    mapped: Vec<MappedObject>,
    generation: u64,
}

impl ObjectMap {
    /// Sorts the mappings. Of overlapping ones the first by address answers.
    #[must_use]
    pub fn new(mut mapped: Vec<MappedObject>) -> Self {
        static LAST_GENERATION: AtomicU64 = AtomicU64::new(0);
        mapped.shared_sort_by_key(|object| object.start_avma);
        Self {
            mapped,
            generation: LAST_GENERATION.fetch_add(1, Ordering::Relaxed) + 1,
        }
    }

    /// The object mapped at an address.
    #[must_use]
    pub fn object_at(&self, avma: u64) -> Option<&MappedObject> {
        let after = self
            .mapped
            .partition_point(|object| object.start_avma <= avma);
        self.mapped
            .get(after.checked_sub(1)?)
            .filter(|object| avma < object.end_avma)
    }

    /// Every mapped object, by address.
    #[must_use]
    pub fn objects(&self) -> &[MappedObject] {
        &self.mapped
    }

    /// Differs between any two maps made: results from one do not apply to another.
    pub(crate) fn generation(&self) -> u64 {
        self.generation
    }
}
