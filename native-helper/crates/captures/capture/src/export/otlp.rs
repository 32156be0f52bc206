//! OpenTelemetry's profiles, out of pprof: the message to a collector or a store, and a file.
//!
//! A profile there measures one quantity, where pprof has several values for each sample. When the time
//! of every sample is its count times the period, as in captures, the counts alone carry all of it.
//! Labels keep their names except those of threads, and `bucket_ms` becomes the time of the sample; the
//! comments of the capture about itself become `pprof.profile.comment`.

use std::io::Read;

use flate2::read::MultiGzDecoder;
use prost::Message;
use shared_map::HashMap;

use crate::otlp::{
    AnyValue, Attribute, Function, KeyValue, Line, Link, List, Location, Mapping, Profile,
    ProfilesData, ProfilesDictionary, Resource, ResourceProfiles, Sample, Scope, ScopeProfiles,
    Stack, Value, ValueType, keys,
};
use crate::pprof::{self, StringTable};
use crate::reader::ReadError;
use crate::sample::FrameKind;
use crate::sample_types::{self, CPU, ValueName};

const NS_PER_MS: u64 = 1_000_000;
const BUCKET: &str = "bucket_ms";
const GZIP_MAGIC: [u8; 2] = [0x1f, 0x8b];
/// A message and the result made from it are in memory at once, several times larger.
const MAX_MESSAGE_BYTES: usize = 512 << 20;

/// The same of a pprof file, compressed or not.
///
/// # Errors
/// When it is not a pprof file, or exceeds the memory limit.
pub fn otlp_of_file(
    file: &[u8],
    resource: Vec<(String, String)>,
    began_unix_ns: u64,
) -> Result<Vec<u8>, ReadError> {
    let mut message = Vec::new();
    let mut inflated: Box<dyn Read + '_> = match file.starts_with(&GZIP_MAGIC) {
        true => Box::new(MultiGzDecoder::new(file)),
        false => Box::new(file),
    };
    let read = inflated
        .by_ref()
        .take(MAX_MESSAGE_BYTES as u64 + 1)
        .read_to_end(&mut message)?;
    if read > MAX_MESSAGE_BYTES {
        return Err(ReadError::TooMany {
            what: "bytes of data",
            max: MAX_MESSAGE_BYTES,
        });
    }
    let pprof = pprof::Profile::decode(&message[..])
        .map_err(|error| ReadError::Corrupt(error.to_string()))?;
    Ok(otlp(&pprof, resource, began_unix_ns))
}

/// The message of a pprof profile. `resource` describes its origin: `service.name` and others. A
/// profile without a start time begins `began_unix_ns` after 1970; 0 leaves it out.
pub fn otlp(
    pprof: &pprof::Profile,
    resource: Vec<(String, String)>,
    began_unix_ns: u64,
) -> Vec<u8> {
    let mut tables = Tables::new(pprof);
    let profiles = tables.profiles(began_unix_ns);
    let attributes = resource.into_iter().map(|(key, value)| KeyValue {
        key,
        value: Some(text(value)),
        key_strindex: 0,
    });
    let scope = Scope {
        name: "extrospect".to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
    };
    let data = ProfilesData {
        resource_profiles: vec![ResourceProfiles {
            resource: Some(Resource {
                attributes: attributes.collect(),
            }),
            scope_profiles: vec![ScopeProfiles {
                scope: Some(scope),
                profiles,
            }],
        }],
        dictionary: Some(tables.finish()),
    };
    data.encode_to_vec()
}

fn text(text: String) -> AnyValue {
    AnyValue {
        value: Some(Value::Text(text)),
    }
}

/// An attribute, to find it again: key, text or number, unit.
type AttributeKey = (i32, String, i64, i32);

/// The dictionary being made.
struct Tables<'p> {
    pprof: &'p pprof::Profile,
    strings: StringTable,
    made: ProfilesDictionary,
    attributes: HashMap<AttributeKey, i32>,
    stacks: HashMap<&'p [u64], i32>,
    /// Places in the table by their ids in pprof.
    locations: HashMap<u64, i32>,
}

impl<'p> Tables<'p> {
    fn new(pprof: &'p pprof::Profile) -> Self {
        let mut tables = Self {
            pprof,
            strings: StringTable::default(),
            made: ProfilesDictionary {
                link_table: vec![Link {}],
                attribute_table: vec![Attribute::default()],
                stack_table: vec![Stack::default()],
                ..ProfilesDictionary::default()
            },
            attributes: HashMap::new(),
            stacks: HashMap::new(),
            locations: HashMap::new(),
        };
        tables.add_places();
        tables
    }

    fn finish(self) -> ProfilesDictionary {
        ProfilesDictionary {
            string_table: self.strings.into_list(),
            ..self.made
        }
    }

    fn pprof_text(&self, index: i64) -> &'p str {
        let text = usize::try_from(index)
            .ok()
            .and_then(|index| self.pprof.string_table.get(index));
        text.map_or("", String::as_str)
    }

    /// The index of a text in the new table.
    fn id(&mut self, text: &str) -> i32 {
        index(self.strings.id(text))
    }

    /// The new index of a string of the pprof profile.
    fn renamed(&mut self, index: i64) -> i32 {
        self.id(self.pprof_text(index))
    }

    fn attribute(&mut self, key: &str, text: &str, number: i64, unit: &str) -> i32 {
        let (key, unit) = (self.id(key), self.id(unit));
        let known = (key, text.to_owned(), number, unit);
        if let Some(&index) = self.attributes.get(&known) {
            return index;
        }
        let value = match text {
            "" => Value::Number(number),
            text => Value::Text(text.to_owned()),
        };
        let index = self.push_attribute(key, value, unit);
        self.attributes.insert(known, index);
        index
    }

    fn push_attribute(&mut self, key: i32, value: Value, unit: i32) -> i32 {
        self.made.attribute_table.push(Attribute {
            key_strindex: key,
            value: Some(AnyValue { value: Some(value) }),
            unit_strindex: unit,
        });
        last(&self.made.attribute_table)
    }

    fn add_places(&mut self) {
        let pprof = self.pprof;
        let mut mappings = HashMap::new();
        self.made.mapping_table.push(Mapping::default());
        for mapping in &pprof.mapping {
            let build_id = self.pprof_text(mapping.build_id);
            let has_id = !build_id.is_empty();
            let build_id = has_id.then(|| self.attribute(keys::BUILD_ID, build_id, 0, ""));
            let filename_strindex = self.renamed(mapping.filename);
            self.made.mapping_table.push(Mapping {
                memory_start: mapping.memory_start,
                memory_limit: mapping.memory_limit,
                file_offset: mapping.file_offset,
                filename_strindex,
                attribute_indices: Vec::from_iter(build_id),
            });
            mappings.insert(mapping.id, last(&self.made.mapping_table));
        }
        let mut functions: HashMap<u64, (i32, &str)> = HashMap::new();
        self.made.function_table.push(Function::default());
        for function in &pprof.function {
            let made = Function {
                name_strindex: self.renamed(function.name),
                system_name_strindex: self.renamed(function.system_name),
                filename_strindex: self.renamed(function.filename),
                start_line: function.start_line,
            };
            self.made.function_table.push(made);
            let frame_type = frame_type(self.pprof_text(function.system_name));
            functions.insert(function.id, (last(&self.made.function_table), frame_type));
        }
        self.made.location_table.push(Location::default());
        for location in &pprof.location {
            let of_line = |line: &pprof::Line| functions.get(&line.function_id).copied();
            let lines = location.line.iter().map(|line| Line {
                function_index: of_line(line).map_or(0, |(index, _)| index),
                line: line.line,
                column: line.column,
            });
            let frame_type = location.line.first().and_then(of_line);
            let frame_type = frame_type.map_or("", |(_, frame_type)| frame_type);
            let is_known = !frame_type.is_empty();
            let made = Location {
                mapping_index: mappings.get(&location.mapping_id).copied().unwrap_or(0),
                address: location.address,
                lines: lines.collect(),
                attribute_indices: Vec::from_iter(
                    is_known.then(|| self.attribute(keys::FRAME_TYPE, frame_type, 0, "")),
                ),
            };
            self.made.location_table.push(made);
            self.locations
                .insert(location.id, last(&self.made.location_table));
        }
    }

    fn stack(&mut self, ids: &'p [u64]) -> i32 {
        if let Some(&index) = self.stacks.get(ids) {
            return index;
        }
        let known = |id: &u64| self.locations.get(id).copied().unwrap_or(0);
        let stack = Stack {
            location_indices: ids.iter().map(known).collect(),
        };
        self.made.stack_table.push(stack);
        let index = last(&self.made.stack_table);
        self.stacks.insert(ids, index);
        index
    }

    /// A profile for each thing that is measured and does not follow from another; the one to be shown
    /// first comes first.
    fn profiles(&mut self, began_unix_ns: u64) -> Vec<Profile> {
        let pprof = self.pprof;
        let own_ns = pprof.time_nanos.unsigned_abs();
        let time_unix_nano = if own_ns == 0 { began_unix_ns } else { own_ns };
        let (mut shown, mut follows) = (self.shown_first(), None);
        if let Some([counts, times]) = self.counts_that_suffice() {
            follows = Some(times);
            shown = if shown == times { counts } else { shown };
        }
        let others = (0..pprof.sample_type.len()).filter(|column| *column != shown);
        let columns: Vec<usize> = std::iter::once(shown)
            .chain(others)
            .filter(|column| Some(*column) != follows)
            .collect();
        let comments = self.comments();
        let mut profiles = Vec::new();
        for column in columns {
            let Some(measured) = pprof.sample_type.get(column) else {
                continue;
            };
            let sample_type = self.value_type(measured);
            // Stores name a profile after the type of its period: a profile without a period takes
            // the type of its counts.
            let (period_type, period) = match &pprof.period_type {
                Some(period) if !self.is_of_no_clock(measured) => {
                    (self.value_type(period), pprof.period)
                }
                _ => (sample_type, 1),
            };
            profiles.push(Profile {
                sample_type: Some(sample_type),
                samples: self.samples(column, time_unix_nano),
                time_unix_nano,
                duration_nano: pprof.duration_nanos.unsigned_abs(),
                period_type: Some(period_type),
                period,
                attribute_indices: comments.clone(),
            });
        }
        profiles
    }

    fn value_type(&mut self, value: &pprof::ValueType) -> ValueType {
        ValueType {
            type_strindex: self.renamed(value.r#type),
            unit_strindex: self.renamed(value.unit),
        }
    }

    /// Name and unit.
    fn named(&self, value: &pprof::ValueType) -> [&'p str; 2] {
        [value.r#type, value.unit].map(|index| self.pprof_text(index))
    }

    /// Whether it is a value of another type of samples than processor time, of which the period is.
    fn is_of_no_clock(&self, value: &pprof::ValueType) -> bool {
        let name = self.named(value);
        let mut others = sample_types::ALL.iter().filter(|one| **one != CPU);
        others.any(|one| [one.count, one.value].contains(&name))
    }

    /// The numbers of samples and the times, when these follow from them.
    fn counts_that_suffice(&self) -> Option<[usize; 2]> {
        let pprof = self.pprof;
        let period = pprof.period_type.as_ref()?;
        let of = |wanted: ValueName| {
            let mut types = pprof.sample_type.iter();
            types.position(|it| self.named(it) == wanted)
        };
        let (counts, times) = (of(CPU.count)?, of(CPU.value)?);
        let follows = |sample: &pprof::Sample| {
            let value = |column: usize| sample.value.get(column).copied().unwrap_or(0);
            value(counts).checked_mul(pprof.period) == Some(value(times))
        };
        let is_time = self.named(period) == CPU.value;
        (is_time && pprof.sample.iter().all(follows)).then_some([counts, times])
    }

    /// By pprof the last value, unless the profile names another.
    fn shown_first(&self) -> usize {
        let wanted = self.pprof_text(self.pprof.default_sample_type);
        let mut types = self.pprof.sample_type.iter();
        let named = types.position(|it| !wanted.is_empty() && self.pprof_text(it.r#type) == wanted);
        named.unwrap_or(self.pprof.sample_type.len().saturating_sub(1))
    }

    fn comments(&mut self) -> Vec<i32> {
        let comments = self.pprof.comment.iter();
        let values: Vec<AnyValue> = comments
            .map(|index| text(self.pprof_text(*index).to_owned()))
            .collect();
        if values.is_empty() {
            return Vec::new();
        }
        let key = self.id(keys::COMMENT);
        vec![self.push_attribute(key, Value::List(List { values }), 0)]
    }

    fn samples(&mut self, column: usize, began_unix_ns: u64) -> Vec<Sample> {
        let mut samples = Vec::with_capacity(self.pprof.sample.len());
        for sample in &self.pprof.sample {
            let value = sample.value.get(column).copied().unwrap_or(0);
            if value == 0 {
                continue;
            }
            let mut made = Sample {
                stack_index: self.stack(&sample.location_id),
                values: vec![value],
                ..Sample::default()
            };
            for label in &sample.label {
                let key = self.pprof_text(label.key);
                if key == BUCKET {
                    let after_ns = label.num.unsigned_abs().saturating_mul(NS_PER_MS);
                    if began_unix_ns > 0 {
                        let at_ns = began_unix_ns.saturating_add(after_ns);
                        made.timestamps_unix_nano = vec![at_ns];
                    }
                } else {
                    let (text, unit) =
                        (self.pprof_text(label.str), self.pprof_text(label.num_unit));
                    let attribute = self.attribute(attribute_key(key), text, label.num, unit);
                    // A key that is there twice would be no attribute.
                    if !made.attribute_indices.contains(&attribute) {
                        made.attribute_indices.push(attribute);
                    }
                }
            }
            samples.push(made);
        }
        samples
    }
}

/// Threads as OpenTelemetry has them, anything else as it is.
fn attribute_key(label: &str) -> &str {
    match label {
        "thread" => keys::THREAD_NAME,
        "tid" => keys::THREAD_ID,
        label => label,
    }
}

/// OpenTelemetry's name for the kind of code of a function that Extrospect recorded; empty for markers
/// and for functions of other tools.
fn frame_type(system_name: &str) -> &'static str {
    let kind = system_name.split_once('!').map(|(kind, _)| kind);
    match kind.and_then(FrameKind::parse) {
        Some(FrameKind::Erlang) => "beam",
        Some(FrameKind::Kernel) => "kernel",
        Some(FrameKind::Bif | FrameKind::Fragment | FrameKind::Native | FrameKind::Nif) => "native",
        Some(FrameKind::Marker) | None => "",
    }
}

/// Tables have fewer entries than an `i32` has numbers: each takes several bytes of a message that has
/// to fit into memory twice.
fn index(number: i64) -> i32 {
    i32::try_from(number).unwrap_or(0)
}

fn last<T>(table: &[T]) -> i32 {
    index(table.len() as i64 - 1)
}

#[cfg(test)]
mod tests;
