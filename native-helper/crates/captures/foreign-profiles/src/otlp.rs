//! OpenTelemetry's profiles (OTLP): profiles of one or more processes, and one dictionary for all.
//!
//! The message is that of opentelemetry-proto 1.10, see `capture::otlp`. A file is one message, or
//! several with four bytes of length before each, as collectors write them. The reader works on slices of the bytes: a
//! message of objects would be many times larger, and files come from anywhere.

mod measured;
mod tables;

use capture::otlp::{List, Resource, Sample, Value, keys};
use capture::wire::{Field, Fields, WireError, take_varint};
use prost::Message;
use shared_map::{HashMap, HashSet};

use crate::error::{Defect, ImportError};
use crate::format::Format;
use crate::limits::Limits;
use crate::profile::{ForeignProfile, left_out};
use measured::{Chosen, Head, Value as Counted};
use profile_builder::{FrameId, Labels, LabelsId, ProfileBuilder, StackId};
use tables::Tables;

/// No single entry of a table or sample is larger.
const MAX_ENTRY_BYTES: usize = 16 << 20;
/// Comments of a profile that are kept.
const MAX_COMMENTS: usize = 64;
/// Labels are made for few and short ones.
const MAX_LABEL_CHARS: usize = 256;
/// Bytes before each message where there are several.
const FRAME_BYTES: usize = 4;
/// Tags of fields that hold messages or strings: 1, 2 and 3.
const FIELD_1: u8 = 0x0a;
const FIELD_2: u8 = 0x12;
const FIELD_3: u8 = 0x1a;
/// Tags of tables that a dictionary has, where a sample of pprof has no such fields.
const OF_DICTIONARY: [u8; 4] = [0x22, 0x2a, 0x32, 0x3a];
/// The field `dropped_attributes_count` of a resource.
const DROPPED: u8 = 0x10;

fn malformed(defect: Defect, what: impl Into<String>) -> ImportError {
    ImportError::malformed(Format::Otlp, defect, what)
}

fn damaged(_: WireError) -> ImportError {
    let what = "it is cut, or of another revision of profiles.v1development";
    malformed(Defect::OtherRevision, what)
}

fn undecodable(error: &prost::DecodeError) -> ImportError {
    let what = format!("{error}; it may be of another revision of profiles.v1development");
    malformed(Defect::OtherRevision, what)
}

fn decoded<M: Message + Default>(bytes: &[u8]) -> Result<M, ImportError> {
    if bytes.len() > MAX_ENTRY_BYTES {
        return Err(ImportError::TooMany {
            what: "bytes of one entry",
            max: MAX_ENTRY_BYTES,
        });
    }
    M::decode(bytes).map_err(|error| undecodable(&error))
}

/// Whether the first bytes are those of such a file. A pprof profile begins alike: its first field is a
/// message, too, which has numbers where this one has messages.
pub(crate) fn looks_like(start: &[u8]) -> bool {
    let is_binary = start
        .iter()
        .any(|byte| *byte < 0x20 && !byte.is_ascii_whitespace());
    let message = match start {
        [0, ..] => start.get(FRAME_BYTES..).unwrap_or_default(),
        _ => start,
    };
    is_binary && begins_with_a_resource(message).unwrap_or(false)
}

fn begins_with_a_resource(mut rest: &[u8]) -> Option<bool> {
    loop {
        let (&tag, after) = rest.split_first()?;
        rest = after;
        let length = usize::try_from(take_varint(&mut rest).ok()?).ok()?;
        match tag {
            FIELD_1 if length > 0 => return Some(is_of_a_resource(rest)),
            FIELD_1 => {}
            // The dictionary. Some write their fields from the last to the first.
            FIELD_2 if rest.first().is_some_and(|tag| OF_DICTIONARY.contains(tag)) => {
                return Some(true);
            }
            FIELD_2 => rest = rest.get(length..)?,
            _ => return Some(false),
        }
    }
}

/// A resource and its parts, each with its own first field.
fn is_of_a_resource(mut content: &[u8]) -> bool {
    let Some((&tag, after)) = content.split_first() else {
        return false;
    };
    content = after;
    let length = take_varint(&mut content);
    let first = content.first();
    match tag {
        FIELD_1 if length == Ok(0) => true,
        FIELD_1 => matches!(first, Some(&(FIELD_1 | DROPPED | FIELD_3))),
        FIELD_2 if length == Ok(0) => true,
        FIELD_2 => matches!(first, Some(&(FIELD_1 | FIELD_2 | FIELD_3))),
        // An address of a schema.
        FIELD_3 => true,
        _ => false,
    }
}

/// Reads a file.
pub(crate) fn read(bytes: &[u8], limits: &Limits) -> Result<ForeignProfile, ImportError> {
    let mut profile = ForeignProfile::new(limits);
    let mut messages = Vec::new();
    for message in split(bytes)? {
        let outline = Outline::of(message, limits)?;
        messages.push(outline);
    }
    let heads = messages.iter().flat_map(|message| &message.profiles);
    let heads: Vec<&Head> = heads.map(|one| &one.head).collect();
    let chosen = Chosen::of(&heads)?;
    profile.measure = chosen.measure();
    if chosen.left_out > 0 {
        let what = "measuring something else than the first one";
        profile
            .notes
            .push(left_out(chosen.left_out, "profile", what));
    }
    let times = heads.iter().filter(|head| chosen.value_of(head).is_some());
    let started = times.clone().map(|head| head.started_unix_ns);
    profile.started_unix_ns = started.filter(|start| *start > 0).min().unwrap_or(0);
    profile.duration_ns = times
        .map(|head| {
            let before = head.started_unix_ns.saturating_sub(profile.started_unix_ns);
            before.saturating_add(head.duration_ns)
        })
        .max()
        .unwrap_or(0);
    profile.event = chosen.event();
    // The service of samples is recorded where they belong to several.
    let all = messages.iter().flat_map(|message| &message.profiles);
    let are_several = all.map(|one| &one.of).collect::<HashSet<_>>().len() > 1;
    let (mut below_zero, mut values) = (0, 0);
    for message in &messages {
        let mut reading = Reading {
            tables: &message.tables,
            profile: &mut profile,
            stacks: HashMap::new(),
            labels: HashMap::new(),
            frames: tables::Frames::default(),
            max_text_bytes: limits.max_bytes,
            max_depth: limits.max_depth,
            below_zero: 0,
            values: 0,
        };
        for one in &message.profiles {
            if let Some(value) = chosen.value_of(&one.head) {
                let of = if are_several { one.of.as_str() } else { "" };
                reading.one(one, of, value)?;
            }
        }
        below_zero += reading.below_zero;
        values += reading.values;
    }
    profile.note_below_zero(Format::Otlp, "value", (below_zero, values))?;
    Ok(profile)
}

/// The messages of a file: one, or several with their lengths.
fn split(bytes: &[u8]) -> Result<Vec<&[u8]>, ImportError> {
    if bytes.first() != Some(&0) {
        return Ok(vec![bytes]);
    }
    let mut messages = Vec::new();
    let mut rest = bytes;
    while let Some((length, after)) = rest.split_first_chunk::<FRAME_BYTES>() {
        let length = u32::from_be_bytes(*length) as usize;
        let cut = || malformed(Defect::Cut, "it ends in the middle of a message");
        let (message, after) = after.split_at_checked(length).ok_or_else(cut)?;
        messages.push(message);
        rest = after;
    }
    Ok(messages)
}

/// A profile in a message.
struct One<'b> {
    head: Head,
    bytes: &'b [u8],
    /// The service that it is of, empty when unknown.
    of: String,
}

/// The content of a message.
struct Outline<'b> {
    tables: Tables<'b>,
    profiles: Vec<One<'b>>,
}

impl<'b> Outline<'b> {
    fn of(message: &'b [u8], limits: &Limits) -> Result<Self, ImportError> {
        let mut tables = Tables::new(limits);
        let mut resources = Vec::new();
        each(message, &mut |number, content| {
            match number {
                1 => resources.push(content),
                2 => tables.add(content)?,
                _ => {}
            }
            Ok(())
        })?;
        tables.read_attributes()?;
        let mut profiles = Vec::new();
        for resource in resources {
            let mut of = String::new();
            let mut scopes = Vec::new();
            each(resource, &mut |number, content| {
                match number {
                    1 => of = service(&decoded(content)?, &tables),
                    2 => scopes.push(content),
                    _ => {}
                }
                Ok(())
            })?;
            for scope in scopes {
                each(scope, &mut |number, content| {
                    if number == 2 {
                        if profiles.len() >= limits.max_samples {
                            return Err(tables.too_many("profiles"));
                        }
                        profiles.push(One {
                            head: Head::of(content, &tables)?,
                            bytes: content,
                            of: of.clone(),
                        });
                    }
                    Ok(())
                })?;
            }
        }
        Ok(Self { tables, profiles })
    }
}

/// Each field of a message that holds bytes.
fn each<'b>(
    message: &'b [u8],
    take: &mut dyn FnMut(u64, &'b [u8]) -> Result<(), ImportError>,
) -> Result<(), ImportError> {
    let mut fields = Fields::new(message);
    while let Some(field) = fields.next_field().map_err(damaged)? {
        if let Field::Bytes(number, content) = field {
            take(number, content)?;
        }
    }
    Ok(())
}

/// What a resource is called.
fn service(resource: &Resource, tables: &Tables<'_>) -> String {
    let named = resource.attributes.iter().find_map(|attribute| {
        let key = match attribute.key.as_str() {
            "" => tables.text(attribute.key_strindex).ok()?,
            key => key.to_owned(),
        };
        let value = attribute.value.as_ref()?.value.as_ref()?;
        (key == keys::SERVICE).then(|| tables.text_of(value))?
    });
    short(&named.unwrap_or_default())
}

fn short(text: &str) -> String {
    text.chars().take(MAX_LABEL_CHARS).collect()
}

/// The samples of one message being read.
struct Reading<'r, 'b> {
    tables: &'r Tables<'b>,
    profile: &'r mut ProfileBuilder,
    stacks: HashMap<i32, StackId>,
    /// By the service of a profile and by attributes.
    labels: HashMap<(String, Vec<i32>), LabelsId>,
    frames: tables::Frames,
    max_text_bytes: usize,
    max_depth: u32,
    /// Values that are none of a measurement: those of a difference of two profiles.
    below_zero: usize,
    /// All values.
    values: usize,
}

impl Reading<'_, '_> {
    fn one(&mut self, one: &One<'_>, of: &str, value: Counted) -> Result<(), ImportError> {
        if self.profile.comments.is_empty() {
            self.profile.comments = self.comments(&one.head)?;
        }
        each(one.bytes, &mut |number, content| match number {
            2 => self.sample(&decoded(content)?, of, value),
            _ => Ok(()),
        })
    }

    fn sample(&mut self, sample: &Sample, of: &str, value: Counted) -> Result<(), ImportError> {
        let stack = self.stack(sample.stack_index)?;
        let labels = self.labels(&sample.attribute_indices, of)?;
        let start = self.profile.started_unix_ns;
        let mut add = |at: Option<&u64>, measured: i64| {
            let at_ns = at.map_or(0, |at| at.saturating_sub(start));
            self.values += 1;
            let Ok(measured) = u64::try_from(measured) else {
                self.below_zero += 1;
                return Ok(());
            };
            let (count, time_ns) = value.count_and_time(measured);
            let added = self.profile.add(stack, labels, at_ns, count, time_ns);
            added.map_err(ImportError::from)
        };
        let (values, times) = (&sample.values, &sample.timestamps_unix_nano);
        if values.is_empty() {
            return times.iter().try_for_each(|at| add(Some(at), 1));
        }
        if !times.is_empty() && times.len() != values.len() {
            let (values, times) = (values.len(), times.len());
            let what = format!("a sample has {values} values at {times} times");
            return Err(malformed(Defect::of("timestamps_unix_nano"), what));
        }
        let mut times = times.iter();
        values
            .iter()
            .try_for_each(|value| add(times.next(), *value))
    }

    fn stack(&mut self, index: i32) -> Result<StackId, ImportError> {
        if let Some(&known) = self.stacks.get(&index) {
            return Ok(known);
        }
        let max_frames = self.max_depth as usize;
        let places = self.tables.stack(index)?;
        // Few bytes can make many frames: each place of a stack may have many of inlined functions.
        let mut root_first = self.frames_within(places.iter().rev(), max_frames, false)?;
        if root_first.len() > max_frames {
            // More than is kept of either end; the profile cuts between them.
            root_first.truncate(max_frames / 2);
            let leaf_first = self.frames_within(places.iter(), max_frames, true)?;
            root_first.extend(leaf_first.into_iter().rev());
        }
        let mut stack = ProfileBuilder::EMPTY;
        for frame in root_first {
            stack = self.profile.call(stack, frame);
        }
        self.stacks.insert(index, stack);
        Ok(stack)
    }

    /// The frames of places as far as there are `max`, and one more when there are more. Those of one
    /// place are outermost first, or innermost first when `reversed`.
    fn frames_within<'p>(
        &mut self,
        places: impl Iterator<Item = &'p i32>,
        max: usize,
        reversed: bool,
    ) -> Result<Vec<FrameId>, ImportError> {
        let mut found = Vec::new();
        for place in places {
            let mut frames = self.frames.of_place(*place, self.tables, self.profile)?;
            if self.profile.text_bytes() > self.max_text_bytes {
                return Err(ImportError::TooMany {
                    what: "bytes of names",
                    max: self.max_text_bytes,
                });
            }
            if reversed {
                frames.reverse();
            }
            let room = max + 1 - found.len();
            found.extend(frames.into_iter().take(room));
            if found.len() > max {
                break;
            }
        }
        Ok(found)
    }

    fn labels(&mut self, attributes: &[i32], of: &str) -> Result<LabelsId, ImportError> {
        let key = (of.to_owned(), attributes.to_vec());
        if let Some(&known) = self.labels.get(&key) {
            return Ok(known);
        }
        let mut labels = Labels {
            process_name: of.to_owned(),
            ..Labels::default()
        };
        for index in attributes {
            self.tables.label(*index, &mut labels)?;
        }
        let labels = self.profile.labels(labels);
        self.labels.insert(key, labels);
        Ok(labels)
    }

    /// The comments in the profile.
    fn comments(&self, head: &Head) -> Result<Vec<String>, ImportError> {
        for index in &head.attributes {
            let Some(value) = self.tables.value_of(*index, keys::COMMENT)? else {
                continue;
            };
            return Ok(match value {
                Value::List(List { values }) => {
                    let values = values.iter().filter_map(|value| value.value.as_ref());
                    let texts = values.filter_map(|value| self.tables.text_of(value));
                    texts.take(MAX_COMMENTS).collect()
                }
                one => Vec::from_iter(self.tables.text_of(&one)),
            });
        }
        Ok(Vec::new())
    }
}
