//! The messages of pprof's `profile.proto`, written by hand so that no protobuf compiler is needed
//! to build. Field numbers and types are the public format; unknown fields are skipped on decode.
//!
//! All strings are indices into [`Profile::string_table`], whose entry 0 is the empty string.

use std::collections::HashMap;

/// A whole profile, or an increment of one: messages concatenate, repeated fields append and the
/// last value of a scalar field counts.
#[derive(Clone, PartialEq, prost::Message)]
pub struct Profile {
    /// The type of each value of a sample.
    #[prost(message, repeated, tag = "1")]
    pub sample_type: Vec<ValueType>,
    /// The samples.
    #[prost(message, repeated, tag = "2")]
    pub sample: Vec<Sample>,
    /// Objects that contain the code.
    #[prost(message, repeated, tag = "3")]
    pub mapping: Vec<Mapping>,
    /// Places in code.
    #[prost(message, repeated, tag = "4")]
    pub location: Vec<Location>,
    /// Functions.
    #[prost(message, repeated, tag = "5")]
    pub function: Vec<Function>,
    /// Strings; entry 0 is empty.
    #[prost(string, repeated, tag = "6")]
    pub string_table: Vec<String>,
    /// Frames whose function matches this pattern are dropped by viewers.
    #[prost(int64, tag = "7")]
    pub drop_frames: i64,
    /// Exceptions to `drop_frames`.
    #[prost(int64, tag = "8")]
    pub keep_frames: i64,
    /// Start, nanoseconds since 1970.
    #[prost(int64, tag = "9")]
    pub time_nanos: i64,
    /// Length, nanoseconds.
    #[prost(int64, tag = "10")]
    pub duration_nanos: i64,
    /// The type of `period`.
    #[prost(message, optional, tag = "11")]
    pub period_type: Option<ValueType>,
    /// Distance between two samples.
    #[prost(int64, tag = "12")]
    pub period: i64,
    /// Free text.
    #[prost(int64, repeated, tag = "13")]
    pub comment: Vec<i64>,
    /// The `sample_type` a viewer should show first.
    #[prost(int64, tag = "14")]
    pub default_sample_type: i64,
    /// Where to read more about this profile.
    #[prost(int64, tag = "15")]
    pub doc_url: i64,
    /// Readings of the VM during the capture. No field of pprof: its readers skip it.
    #[prost(message, repeated, tag = "1000")]
    pub node_reading: Vec<NodeReading>,
    /// Long collections and calls. No field of pprof: its readers skip it.
    #[prost(message, repeated, tag = "1002")]
    pub stay: Vec<Stay>,
}

/// The VM's figures about itself at one moment. A figure that was not read is absent. Fields are only ever added,
/// and none gets another meaning. Counters count since the VM started, so two readings show the counts between
/// them.
#[derive(Clone, Copy, PartialEq, Eq, prost::Message)]
pub struct NodeReading {
    /// When, milliseconds after the start of the capture.
    #[prost(uint64, tag = "1")]
    pub at_ms: u64,
    /// Processes and ports that waited for a normal scheduler.
    #[prost(uint64, optional, tag = "2")]
    pub run_queue: Option<u64>,
    /// Processes that waited for a dirty CPU scheduler.
    #[prost(uint64, optional, tag = "3")]
    pub dirty_cpu_run_queue: Option<u64>,
    /// Processes that waited for a dirty I/O scheduler.
    #[prost(uint64, optional, tag = "4")]
    pub dirty_io_run_queue: Option<u64>,
    /// Processes there were.
    #[prost(uint64, optional, tag = "5")]
    pub processes: Option<u64>,
    /// Bytes in blocks that last, and code of the JIT: about `erlang:memory(total)`.
    #[prost(uint64, optional, tag = "6")]
    pub memory_bytes: Option<u64>,
    /// The resident memory of the OS process, bytes.
    #[prost(uint64, optional, tag = "7")]
    pub rss_bytes: Option<u64>,
    /// The most messages that waited in one mailbox, in a look at all of them that ended shortly before.
    #[prost(uint64, optional, tag = "8")]
    pub largest_mailbox: Option<u64>,
    /// Messages that waited in all mailboxes together, in that look.
    #[prost(uint64, optional, tag = "9")]
    pub waiting_messages: Option<u64>,
    /// Collections, without those on dirty schedulers; counts.
    #[prost(uint64, optional, tag = "10")]
    pub collections: Option<u64>,
    /// Words that collections gave back; counts.
    #[prost(uint64, optional, tag = "11")]
    pub reclaimed_words: Option<u64>,
    /// Reductions; counts.
    #[prost(uint64, optional, tag = "12")]
    pub reductions: Option<u64>,
    /// Context switches; counts.
    #[prost(uint64, optional, tag = "13")]
    pub context_switches: Option<u64>,
    /// Bytes that ports have read; counts.
    #[prost(uint64, optional, tag = "14")]
    pub io_in_bytes: Option<u64>,
    /// Bytes that ports have written; counts.
    #[prost(uint64, optional, tag = "15")]
    pub io_out_bytes: Option<u64>,
    /// The process whose mailbox was the largest: the numbers in its pid, `<0.NUMBER.SERIAL>`, as
    /// `serial * 2^28 + number`.
    #[prost(uint64, optional, tag = "16")]
    pub largest_mailbox_pid: Option<u64>,
    /// The helper's processor time for readings since the reading before, microseconds.
    #[prost(uint64, optional, tag = "17")]
    pub cost_us: Option<u64>,
}

impl NodeReading {
    /// Whether it is a reading: it has one of the figures that each reading of Extrospect has. The content that
    /// another program has in that field may decode as a message with other figures.
    pub fn has_figures(&self) -> bool {
        let queues = [
            self.run_queue,
            self.dirty_cpu_run_queue,
            self.dirty_io_run_queue,
        ];
        queues.iter().any(Option::is_some) || self.processes.is_some()
    }
}

/// A time in which samples of one scheduler show the same collection or the same call: see [`crate::stays`]. Fields are
/// only ever added, and none gets another meaning. Texts are empty when they are not known.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct Stay {
    /// When its first sample was taken, microseconds after the start of the capture.
    #[prost(uint64, tag = "1")]
    pub at_us: u64,
    /// From its first sample to its last one, microseconds: it lasted at least that long.
    #[prost(uint64, tag = "2")]
    pub lasts_us: u64,
    /// Samples that show it, at least two.
    #[prost(uint64, tag = "3")]
    pub samples: u64,
    /// The number of a [`StayKind`](crate::stays::StayKind).
    #[prost(uint64, tag = "4")]
    pub kind: u64,
    /// The scheduler, as in the label of a sample.
    #[prost(string, tag = "5")]
    pub scheduler: String,
    /// `<0.123.0>`.
    #[prost(string, tag = "6")]
    pub pid: String,
    /// Registered name or initial call.
    #[prost(string, tag = "7")]
    pub process: String,
    /// The innermost Erlang function.
    #[prost(string, tag = "8")]
    pub function: String,
    /// The line that ran there; 0 when not known.
    #[prost(uint64, tag = "9")]
    pub line: u64,
    /// The function that was called: a NIF, a built-in function, else one of the emulator.
    #[prost(string, tag = "10")]
    pub called: String,
}

/// A type of values: `cpu` in `nanoseconds`.
#[derive(Clone, Copy, PartialEq, Eq, prost::Message)]
pub struct ValueType {
    /// Name.
    #[prost(int64, tag = "1")]
    pub r#type: i64,
    /// Unit.
    #[prost(int64, tag = "2")]
    pub unit: i64,
}

/// One stack with its values.
#[derive(Clone, PartialEq, prost::Message)]
pub struct Sample {
    /// Ids of locations, leaf first.
    #[prost(uint64, repeated, tag = "1")]
    pub location_id: Vec<u64>,
    /// One value for each `sample_type`.
    #[prost(int64, repeated, tag = "2")]
    pub value: Vec<i64>,
    /// Labels.
    #[prost(message, repeated, tag = "3")]
    pub label: Vec<Label>,
}

/// A label: a key with a string or a number.
#[derive(Clone, Copy, PartialEq, Eq, prost::Message)]
pub struct Label {
    /// Key.
    #[prost(int64, tag = "1")]
    pub key: i64,
    /// String value; 0 when the label is a number.
    #[prost(int64, tag = "2")]
    pub str: i64,
    /// Number.
    #[prost(int64, tag = "3")]
    pub num: i64,
    /// Unit of the number.
    #[prost(int64, tag = "4")]
    pub num_unit: i64,
}

/// An object that contains code.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct Mapping {
    /// Id, not 0.
    #[prost(uint64, tag = "1")]
    pub id: u64,
    /// First address.
    #[prost(uint64, tag = "2")]
    pub memory_start: u64,
    /// Address behind the last one.
    #[prost(uint64, tag = "3")]
    pub memory_limit: u64,
    /// Offset in the file of `memory_start`.
    #[prost(uint64, tag = "4")]
    pub file_offset: u64,
    /// The object.
    #[prost(int64, tag = "5")]
    pub filename: i64,
    /// Its build id.
    #[prost(int64, tag = "6")]
    pub build_id: i64,
    /// Locations have functions.
    #[prost(bool, tag = "7")]
    pub has_functions: bool,
    /// Functions have file names.
    #[prost(bool, tag = "8")]
    pub has_filenames: bool,
    /// Locations have line numbers.
    #[prost(bool, tag = "9")]
    pub has_line_numbers: bool,
    /// Inlined frames are separate.
    #[prost(bool, tag = "10")]
    pub has_inline_frames: bool,
}

/// A place in code.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct Location {
    /// Id, not 0.
    #[prost(uint64, tag = "1")]
    pub id: u64,
    /// Id of the mapping, 0 for none.
    #[prost(uint64, tag = "2")]
    pub mapping_id: u64,
    /// Address, 0 when not known.
    #[prost(uint64, tag = "3")]
    pub address: u64,
    /// Function and line; several when functions were inlined, the innermost first.
    #[prost(message, repeated, tag = "4")]
    pub line: Vec<Line>,
    /// The linker may have folded other functions into this one.
    #[prost(bool, tag = "5")]
    pub is_folded: bool,
}

/// A line of a function.
#[derive(Clone, Copy, PartialEq, Eq, prost::Message)]
pub struct Line {
    /// Id of the function.
    #[prost(uint64, tag = "1")]
    pub function_id: u64,
    /// Line, 0 when not known.
    #[prost(int64, tag = "2")]
    pub line: i64,
    /// Column, 0 when not known.
    #[prost(int64, tag = "3")]
    pub column: i64,
}

/// A function.
#[derive(Clone, Copy, PartialEq, Eq, prost::Message)]
pub struct Function {
    /// Id, not 0.
    #[prost(uint64, tag = "1")]
    pub id: u64,
    /// Name as shown.
    #[prost(int64, tag = "2")]
    pub name: i64,
    /// Name as the system has it; here `kind!raw_name`.
    #[prost(int64, tag = "3")]
    pub system_name: i64,
    /// Source file.
    #[prost(int64, tag = "4")]
    pub filename: i64,
    /// Line of the head.
    #[prost(int64, tag = "5")]
    pub start_line: i64,
}

/// The string table of a message while it is made: each text once, the empty one first.
#[derive(Debug)]
pub struct StringTable {
    ids: HashMap<String, i64>,
    list: Vec<String>,
}

impl Default for StringTable {
    fn default() -> Self {
        Self {
            ids: HashMap::from([(String::new(), 0)]),
            list: vec![String::new()],
        }
    }
}

impl StringTable {
    /// The index of a text, which is added when it is new.
    pub fn id(&mut self, text: &str) -> i64 {
        if let Some(&id) = self.ids.get(text) {
            return id;
        }
        let id = self.list.len() as i64;
        self.list.push(text.to_owned());
        self.ids.insert(text.to_owned(), id);
        id
    }

    /// [`Profile::string_table`].
    pub fn into_list(self) -> Vec<String> {
        self.list
    }
}
