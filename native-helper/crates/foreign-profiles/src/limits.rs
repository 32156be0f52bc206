//! Bounds on what is read and made.

use profile_builder::Bounds;

/// Bounds on what is read and made of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of the file, decompressed.
    pub max_bytes: usize,
    /// Samples, before equal ones are merged.
    pub max_samples: usize,
    /// Frames of one stack; what is called deeper is one frame `[truncated]`.
    pub max_depth: u32,
    /// Frames of all samples together, after equal samples of one moment are merged.
    pub max_frames: usize,
}

impl Limits {
    pub(crate) fn bounds(&self) -> Bounds {
        Bounds {
            max_samples: self.max_samples,
            max_depth: self.max_depth,
            max_frames: self.max_frames,
        }
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            max_bytes: 1 << 30,
            max_samples: 32 << 20,
            max_depth: 4096,
            max_frames: 256 << 20,
        }
    }
}
