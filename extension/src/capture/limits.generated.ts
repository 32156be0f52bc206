// Generated from native-helper/crates/captures/capture/src/limits.rs. Do not edit. To write it again, in native-helper/:
// cargo run -p capture --example generate-limits > ../extension/src/capture/limits.generated.ts

/** Frames of one stack, those of inlined functions and the marker included. */
export const MAX_STACK_FRAMES = 16384;
/** Of a longer stack: frames at the leaf that are kept. */
export const INNERMOST_FRAMES = 8192;
/** Of a longer stack: frames at the root that are kept. */
export const OUTERMOST_FRAMES = 8191;
/** Labels of one sample; further ones are left out. */
export const MAX_LABELS = 256;
/** Functions inlined into one another at one address; further ones are left out. */
export const MAX_LINES_PER_LOCATION = 128;
/** Kinds of values. */
export const MAX_SAMPLE_TYPES = 64;
/** Readings of the VM; further ones are left out. */
export const MAX_NODE_READINGS = 1048576;
/** Long collections and calls; of more the longest are kept. */
export const MAX_STAYS = 16384;
/** Comments; of more the last ones count. */
export const MAX_COMMENTS = 1048576;
/** Bytes of one comment. */
export const MAX_COMMENT_BYTES = 4194304;
/** Sample records; the capture counts as cut behind them. */
export const MAX_SAMPLES = 33554432;
/** Bytes of one gzip member, decompressed. */
export const MAX_MEMBER_BYTES = 268435456;
/** Bytes of a message that is read as a whole. */
export const MAX_MESSAGE_BYTES = 1073741824;
/** Bytes of all gzip members, decompressed; the capture counts as cut behind them. */
export const MAX_CAPTURE_BYTES = 17179869184;
/** Strings; the capture counts as cut behind them, and behind what follows. */
export const MAX_STRINGS = 67108864;
/** Bytes of all strings. */
export const MAX_STRING_BYTES = 1073741824;
/** Mappings. */
export const MAX_MAPPINGS = 1048576;
/** Functions. */
export const MAX_FUNCTIONS = 4194304;
/** Locations. */
export const MAX_LOCATIONS = 16777216;
/** Lines of all locations. */
export const MAX_LINES = 33554432;
/** Different sets of labels. */
export const MAX_LABEL_SETS = 16777216;
/** The name of the frame that stands for the missing middle of a stack that is longer than that. */
export const TOO_DEEP = "[too deep]";
/** The only frame of stacks that earlier versions wrote for the time before sampling: no samples. */
export const BEFORE_SAMPLING = "[before sampling]";
