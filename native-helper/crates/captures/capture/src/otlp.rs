//! The messages of OpenTelemetry's profiles, written by hand so that no protobuf compiler is needed to
//! build. They are those of opentelemetry-proto 1.10 (package `profiles.v1development`, with one
//! dictionary for all profiles of a message), as far as they are needed here; unknown fields are
//! skipped on decode. Earlier revisions had other tables and are not read.
//!
//! Indices point into the tables of [`ProfilesDictionary`], whose entries 0 are empty and stand for
//! "none".

/// A whole file, or a request to a collector: both have the same fields.
#[derive(Clone, PartialEq, prost::Message)]
pub struct ProfilesData {
    /// Profiles by resource.
    #[prost(message, repeated, tag = "1")]
    pub resource_profiles: Vec<ResourceProfiles>,
    /// The tables.
    #[prost(message, optional, tag = "2")]
    pub dictionary: Option<ProfilesDictionary>,
}

/// The tables that all profiles of a message share.
#[derive(Clone, PartialEq, prost::Message)]
pub struct ProfilesDictionary {
    /// Objects that contain the code.
    #[prost(message, repeated, tag = "1")]
    pub mapping_table: Vec<Mapping>,
    /// Places in code.
    #[prost(message, repeated, tag = "2")]
    pub location_table: Vec<Location>,
    /// Functions.
    #[prost(message, repeated, tag = "3")]
    pub function_table: Vec<Function>,
    /// Traces that samples belong to; here only the entry for none.
    #[prost(message, repeated, tag = "4")]
    pub link_table: Vec<Link>,
    /// Strings.
    #[prost(string, repeated, tag = "5")]
    pub string_table: Vec<String>,
    /// Attributes.
    #[prost(message, repeated, tag = "6")]
    pub attribute_table: Vec<Attribute>,
    /// Stacks.
    #[prost(message, repeated, tag = "7")]
    pub stack_table: Vec<Stack>,
}

/// Profiles of one resource, for example a process or a host.
#[derive(Clone, PartialEq, prost::Message)]
pub struct ResourceProfiles {
    /// Their resource.
    #[prost(message, optional, tag = "1")]
    pub resource: Option<Resource>,
    /// Profiles by their producer.
    #[prost(message, repeated, tag = "2")]
    pub scope_profiles: Vec<ScopeProfiles>,
}

/// The subject of profiles.
#[derive(Clone, PartialEq, prost::Message)]
pub struct Resource {
    /// `service.name` and others.
    #[prost(message, repeated, tag = "1")]
    pub attributes: Vec<KeyValue>,
}

/// Profiles of one maker.
#[derive(Clone, PartialEq, prost::Message)]
pub struct ScopeProfiles {
    /// Who made them.
    #[prost(message, optional, tag = "1")]
    pub scope: Option<Scope>,
    /// Them.
    #[prost(message, repeated, tag = "2")]
    pub profiles: Vec<Profile>,
}

/// A program that makes profiles.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct Scope {
    /// Name.
    #[prost(string, tag = "1")]
    pub name: String,
    /// Version.
    #[prost(string, tag = "2")]
    pub version: String,
}

/// A profile: it measures one thing.
#[derive(Clone, PartialEq, prost::Message)]
pub struct Profile {
    /// The type of its values.
    #[prost(message, optional, tag = "1")]
    pub sample_type: Option<ValueType>,
    /// The samples.
    #[prost(message, repeated, tag = "2")]
    pub samples: Vec<Sample>,
    /// Start, nanoseconds since 1970.
    #[prost(fixed64, tag = "3")]
    pub time_unix_nano: u64,
    /// Length, nanoseconds.
    #[prost(uint64, tag = "4")]
    pub duration_nano: u64,
    /// The type of `period`.
    #[prost(message, optional, tag = "5")]
    pub period_type: Option<ValueType>,
    /// Distance between two samples.
    #[prost(int64, tag = "6")]
    pub period: i64,
    /// Attributes of the whole profile.
    #[prost(int32, repeated, tag = "11")]
    pub attribute_indices: Vec<i32>,
}

/// Nothing that is made or read here; its table has to have an entry all the same.
#[derive(Clone, Copy, PartialEq, Eq, prost::Message)]
pub struct Link {}

/// A type of values: `samples` in `count`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, prost::Message)]
pub struct ValueType {
    /// Name.
    #[prost(int32, tag = "1")]
    pub type_strindex: i32,
    /// Unit.
    #[prost(int32, tag = "2")]
    pub unit_strindex: i32,
}

/// A stack with its values.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct Sample {
    /// The stack.
    #[prost(int32, tag = "1")]
    pub stack_index: i32,
    /// Labels.
    #[prost(int32, repeated, tag = "2")]
    pub attribute_indices: Vec<i32>,
    /// One value for each time; one in all when there are no times; none when each time counts 1.
    #[prost(int64, repeated, tag = "4")]
    pub values: Vec<i64>,
    /// Times, nanoseconds since 1970.
    #[prost(fixed64, repeated, tag = "5")]
    pub timestamps_unix_nano: Vec<u64>,
}

/// An object that contains code.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct Mapping {
    /// First address.
    #[prost(uint64, tag = "1")]
    pub memory_start: u64,
    /// Address behind the last one.
    #[prost(uint64, tag = "2")]
    pub memory_limit: u64,
    /// Offset in the file of `memory_start`.
    #[prost(uint64, tag = "3")]
    pub file_offset: u64,
    /// The object.
    #[prost(int32, tag = "4")]
    pub filename_strindex: i32,
    /// Its attributes, for example the build id.
    #[prost(int32, repeated, tag = "5")]
    pub attribute_indices: Vec<i32>,
}

/// A stack.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct Stack {
    /// Places, leaf first.
    #[prost(int32, repeated, tag = "1")]
    pub location_indices: Vec<i32>,
}

/// A place in code.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct Location {
    /// The mapping.
    #[prost(int32, tag = "1")]
    pub mapping_index: i32,
    /// Address, 0 when not known.
    #[prost(uint64, tag = "2")]
    pub address: u64,
    /// Function and line; several when functions were inlined, the innermost first.
    #[prost(message, repeated, tag = "3")]
    pub lines: Vec<Line>,
    /// The kind of the frame.
    #[prost(int32, repeated, tag = "4")]
    pub attribute_indices: Vec<i32>,
}

/// A line of a function.
#[derive(Clone, Copy, PartialEq, Eq, prost::Message)]
pub struct Line {
    /// The function.
    #[prost(int32, tag = "1")]
    pub function_index: i32,
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
    /// Name as shown.
    #[prost(int32, tag = "1")]
    pub name_strindex: i32,
    /// Name as the system has it; here `kind!raw_name`, as in captures.
    #[prost(int32, tag = "2")]
    pub system_name_strindex: i32,
    /// Source file.
    #[prost(int32, tag = "3")]
    pub filename_strindex: i32,
    /// Line of the head.
    #[prost(int64, tag = "4")]
    pub start_line: i64,
}

/// An attribute of a table.
#[derive(Clone, PartialEq, prost::Message)]
pub struct Attribute {
    /// Key.
    #[prost(int32, tag = "1")]
    pub key_strindex: i32,
    /// Value.
    #[prost(message, optional, tag = "2")]
    pub value: Option<AnyValue>,
    /// Unit of the value.
    #[prost(int32, tag = "3")]
    pub unit_strindex: i32,
}

/// An attribute of a resource.
#[derive(Clone, PartialEq, prost::Message)]
pub struct KeyValue {
    /// Key.
    #[prost(string, tag = "1")]
    pub key: String,
    /// Value.
    #[prost(message, optional, tag = "2")]
    pub value: Option<AnyValue>,
    /// Key, when it is in the table of strings instead.
    #[prost(int32, tag = "3")]
    pub key_strindex: i32,
}

/// A value of an attribute.
#[derive(Clone, PartialEq, prost::Message)]
pub struct AnyValue {
    /// One of them; none for kinds that nothing here needs.
    #[prost(oneof = "Value", tags = "1, 3, 5, 8")]
    pub value: Option<Value>,
}

/// The kinds of values that are needed.
#[derive(Clone, PartialEq, prost::Oneof)]
pub enum Value {
    /// A text.
    #[prost(string, tag = "1")]
    Text(String),
    /// A number.
    #[prost(int64, tag = "3")]
    Number(i64),
    /// Several.
    #[prost(message, tag = "5")]
    List(List),
    /// A text in the table of strings.
    #[prost(int32, tag = "8")]
    TextIndex(i32),
}

/// Several values.
#[derive(Clone, PartialEq, prost::Message)]
pub struct List {
    /// Them.
    #[prost(message, repeated, tag = "1")]
    pub values: Vec<AnyValue>,
}

/// The answer of a collector.
#[derive(Clone, PartialEq, prost::Message)]
pub struct ExportResponse {
    /// The part of the request that the collector did not take.
    #[prost(message, optional, tag = "1")]
    pub partial_success: Option<PartialSuccess>,
}

/// The profiles that a collector did not take.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct PartialSuccess {
    /// How many profiles.
    #[prost(int64, tag = "1")]
    pub rejected_profiles: i64,
    /// Why.
    #[prost(string, tag = "2")]
    pub error_message: String,
}

/// Keys of attributes, as OpenTelemetry's semantic conventions have them.
pub mod keys {
    /// Name of the profiled service.
    pub const SERVICE: &str = "service.name";
    /// The kind of code that a place is in: `beam`, `native`, `kernel`.
    pub const FRAME_TYPE: &str = "profile.frame.type";
    /// Name of a thread.
    pub const THREAD_NAME: &str = "thread.name";
    /// Id of a thread.
    pub const THREAD_ID: &str = "thread.id";
    /// The comments of a pprof profile, a list of texts.
    pub const COMMENT: &str = "pprof.profile.comment";
    /// Build id that the linker made.
    pub const BUILD_ID: &str = "process.executable.build_id.gnu";
}
