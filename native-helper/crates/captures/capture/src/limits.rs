//! How much a capture holds at most. Writers keep to these bounds; readers take all that keeps to
//! them, and cut what does not: older helpers and other programs have other bounds. The editor's
//! copy, `extension/src/capture/limits.generated.ts`, is generated from here, and a test compares them.

/// Frames of one stack, those of inlined functions and the marker included. A longer stack loses the
/// frames in its middle; see [`StackCut`] and [`Mark::TooDeep`](crate::marks::Mark::TooDeep).
pub const MAX_STACK_FRAMES: usize = 16 << 10;
/// Frames of the samples that wait to be written, before stacks are cut to [`SHORT_STACK_FRAMES`]: until the
/// last of them is taken, in however many increments. Each sample has all frames of its stack in the file, so
/// samples of many deep stacks would fill the room of many more shortened ones.
pub const MAX_INCREMENT_FRAMES: usize = 32 << 20;
/// Frames of each further stack while [`MAX_INCREMENT_FRAMES`] wait; the mark in its middle is
/// [`Mark::Shortened`](crate::marks::Mark::Shortened).
pub const SHORT_STACK_FRAMES: usize = 128;
/// Labels of one sample; readers leave further ones out.
pub const MAX_LABELS: usize = 256;
/// Functions inlined into one another at one address; readers leave further ones out. It bounds what
/// one location expands to.
pub const MAX_LINES_PER_LOCATION: usize = 128;
/// Kinds of values; no profile has more.
pub const MAX_SAMPLE_TYPES: usize = 64;
/// Readings of the VM: as many as twelve days have, one a second. Readers leave further ones out.
pub const MAX_NODE_READINGS: usize = 1 << 20;
/// Long collections and calls of one increment; of more the longest are in it.
pub const MAX_INCREMENT_STAYS: usize = 32;
/// Long collections and calls that readers keep; of more the longest.
pub const MAX_STAYS: usize = 1 << 14;
/// Comments; of more the last ones count.
pub const MAX_COMMENTS: usize = 1 << 20;
/// Bytes of one comment. Writers leave a longer one out, and bound lists so that none is.
pub const MAX_COMMENT_BYTES: usize = 4 << 20;
/// Sample records. A reader stops at more, and the capture counts as cut there.
pub const MAX_SAMPLES: usize = 1 << 25;
/// Bytes of one increment, decompressed, and of one gzip member of a file.
pub const MAX_MEMBER_BYTES: usize = 256 << 20;
/// Bytes that a reader holds of a message, and of a file as it is. Bytes behind that are not read,
/// and the capture counts as cut there.
pub const MAX_MESSAGE_BYTES: usize = 1 << 30;
/// Bytes of all members of a file, decompressed. They are read one by one, so this bounds time alone; what
/// readers keep of them has the bounds below. A reader stops where one is reached, and the capture counts as
/// cut there.
pub const MAX_CAPTURE_BYTES: u64 = 16 << 30;

/// Strings: each of [`MAX_SAMPLES`] may have two of its own, the pid and the name of a process.
pub const MAX_STRINGS: usize = 2 * MAX_SAMPLES;
/// Bytes of all strings.
pub const MAX_STRING_BYTES: usize = 1 << 30;
/// Mappings of objects into memory.
pub const MAX_MAPPINGS: usize = 1 << 20;
/// Functions: some ten times those of the largest systems, with their libraries and a kernel.
pub const MAX_FUNCTIONS: usize = 1 << 22;
/// Locations, which are lines of functions, or addresses in other profiles.
pub const MAX_LOCATIONS: usize = 1 << 24;
/// Lines of all locations.
pub const MAX_LINES: usize = 1 << 25;
/// Different sets of labels: 16 million processes that were seen at work. Each is in a sample of its own.
pub const MAX_LABEL_SETS: usize = 1 << 24;
/// Different stacks.
pub const MAX_STACKS: usize = 1 << 24;
/// Locations of all different stacks.
pub const MAX_STACK_LOCATIONS: usize = 1 << 29;

/// The only frame of stacks that earlier versions wrote for the processor time before sampling began. It is a fact of the
/// quality record, and no sample: readers leave these samples out.
pub const BEFORE_SAMPLING: &str = "[before sampling]";

/// The kept parts of a stack that is too long. The innermost frames show where the time goes, the
/// outermost ones whose work it is; the deep frames in between are recursion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StackCut {
    /// Frames at the leaf.
    pub innermost: usize,
    /// Frames at the root. Between the two stands one frame that is a [`Mark`](crate::marks::Mark).
    pub outermost: usize,
}

impl StackCut {
    /// The cut that leaves `max` frames, the marker included; `max` is at least 1.
    pub const fn to(max: usize) -> Self {
        let innermost = max / 2;
        Self {
            innermost,
            outermost: max - innermost - 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cut_stack_has_as_many_frames_as_are_allowed() {
        for max in [1, 2, 3, SHORT_STACK_FRAMES, MAX_STACK_FRAMES] {
            let StackCut {
                innermost,
                outermost,
            } = StackCut::to(max);
            assert_eq!(innermost + 1 + outermost, max);
        }
    }

    /// Three bytes hold the id of a location in any capture of code that a VM can load.
    #[test]
    fn an_increment_fits_a_member() {
        const ID_BYTES: usize = 3;
        // A second of 256 processors at 997 Hz, each sample with some labels of its own.
        const SAMPLES: usize = 256 * 1024;
        const LABEL_BYTES: usize = 128;
        let short = SAMPLES * (SHORT_STACK_FRAMES * ID_BYTES + LABEL_BYTES);
        assert!((MAX_INCREMENT_FRAMES + MAX_STACK_FRAMES) * ID_BYTES + short <= MAX_MEMBER_BYTES);
    }
}
