//! The limits of captures as TypeScript. Shared by the example that prints the file and the test that compares them.

use capture::limits::{
    BEFORE_SAMPLING, MAX_CAPTURE_BYTES, MAX_COMMENT_BYTES, MAX_COMMENTS, MAX_FUNCTIONS,
    MAX_LABEL_SETS, MAX_LABELS, MAX_LINES, MAX_LINES_PER_LOCATION, MAX_LOCATIONS, MAX_MAPPINGS,
    MAX_MEMBER_BYTES, MAX_MESSAGE_BYTES, MAX_NODE_READINGS, MAX_SAMPLE_TYPES, MAX_SAMPLES,
    MAX_STACK_FRAMES, MAX_STAYS, MAX_STRING_BYTES, MAX_STRINGS, StackCut,
};
use capture::marks::Mark;

/// How to write the file again.
pub(crate) const GENERATE_COMMAND: &str =
    "cargo run -p capture --example generate-limits > ../extension/src/capture/limits.generated.ts";

/// The description of each limit, its name and its value, except for limits that follow from
/// another one.
const LIMITS: [(&str, &str, u64); 19] = [
    (
        "Frames of one stack, those of inlined functions and the marker included.",
        "MAX_STACK_FRAMES",
        MAX_STACK_FRAMES as u64,
    ),
    (
        "Labels of one sample; further ones are left out.",
        "MAX_LABELS",
        MAX_LABELS as u64,
    ),
    (
        "Functions inlined into one another at one address; further ones are left out.",
        "MAX_LINES_PER_LOCATION",
        MAX_LINES_PER_LOCATION as u64,
    ),
    (
        "Kinds of values.",
        "MAX_SAMPLE_TYPES",
        MAX_SAMPLE_TYPES as u64,
    ),
    (
        "Readings of the VM; further ones are left out.",
        "MAX_NODE_READINGS",
        MAX_NODE_READINGS as u64,
    ),
    (
        "Long collections and calls; of more the longest are kept.",
        "MAX_STAYS",
        MAX_STAYS as u64,
    ),
    (
        "Comments; of more the last ones count.",
        "MAX_COMMENTS",
        MAX_COMMENTS as u64,
    ),
    (
        "Bytes of one comment.",
        "MAX_COMMENT_BYTES",
        MAX_COMMENT_BYTES as u64,
    ),
    (
        "Sample records; the capture counts as cut behind them.",
        "MAX_SAMPLES",
        MAX_SAMPLES as u64,
    ),
    (
        "Bytes of one gzip member, decompressed.",
        "MAX_MEMBER_BYTES",
        MAX_MEMBER_BYTES as u64,
    ),
    (
        "Bytes of a message that is read as a whole.",
        "MAX_MESSAGE_BYTES",
        MAX_MESSAGE_BYTES as u64,
    ),
    (
        "Bytes of all gzip members, decompressed; the capture counts as cut behind them.",
        "MAX_CAPTURE_BYTES",
        MAX_CAPTURE_BYTES,
    ),
    (
        "Strings; the capture counts as cut behind them, and behind what follows.",
        "MAX_STRINGS",
        MAX_STRINGS as u64,
    ),
    (
        "Bytes of all strings.",
        "MAX_STRING_BYTES",
        MAX_STRING_BYTES as u64,
    ),
    ("Mappings.", "MAX_MAPPINGS", MAX_MAPPINGS as u64),
    ("Functions.", "MAX_FUNCTIONS", MAX_FUNCTIONS as u64),
    ("Locations.", "MAX_LOCATIONS", MAX_LOCATIONS as u64),
    ("Lines of all locations.", "MAX_LINES", MAX_LINES as u64),
    (
        "Different sets of labels.",
        "MAX_LABEL_SETS",
        MAX_LABEL_SETS as u64,
    ),
];

/// The whole file.
pub(crate) fn generate() -> String {
    let cut = StackCut::to(MAX_STACK_FRAMES);
    let cut_rows = [
        (
            "Of a longer stack: frames at the leaf that are kept.",
            "INNERMOST_FRAMES",
            cut.innermost as u64,
        ),
        (
            "Of a longer stack: frames at the root that are kept.",
            "OUTERMOST_FRAMES",
            cut.outermost as u64,
        ),
    ];
    let (stacks, others) = LIMITS.split_at(1);
    let numbers = stacks.iter().chain(&cut_rows).chain(others);
    let constants: String = numbers
        .map(|(what, name, value)| format!("/** {what} */\nexport const {name} = {value};\n"))
        .collect();
    let too_deep = Mark::TooDeep.name();
    format!(
        "// Generated from native-helper/crates/captures/capture/src/limits.rs. Do not edit. To write it again, in native-helper/:\n\
         // {GENERATE_COMMAND}\n\
         \n\
         {constants}\
         /** The name of the frame that stands for the missing middle of a stack that is longer than that. */\n\
         export const TOO_DEEP = {too_deep:?};\n\
         /** The only frame of stacks that earlier versions wrote for the time before sampling: no samples. */\n\
         export const BEFORE_SAMPLING = {BEFORE_SAMPLING:?};\n"
    )
}
