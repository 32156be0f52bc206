//! Bounds on input and output.

use capture::limits::{MAX_MESSAGE_BYTES, MAX_SAMPLES, MAX_STACK_FRAMES};
use profile_builder::Bounds;

/// Limits of the input and of the resulting profile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of the file, decompressed.
    pub max_bytes: usize,
    /// Samples, before equal ones are merged.
    pub max_samples: usize,
    /// Frames of one stack; of a deeper one the frames in the middle are one `[too deep]`.
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
            max_bytes: MAX_MESSAGE_BYTES,
            max_samples: MAX_SAMPLES,
            max_depth: MAX_STACK_FRAMES as u32,
            max_frames: 256 << 20,
        }
    }
}
