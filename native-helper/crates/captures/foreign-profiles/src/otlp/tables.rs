//! The dictionary: entries as parts of the bytes, read when something points at them.

use capture::otlp::{Attribute, Function, Location, Mapping, Stack, Value, keys};
use capture::sample::{SampleClass, SchedulerId, Trust};
use capture::wire::{Field, Fields};
use shared_map::HashMap;

use super::{MAX_ENTRY_BYTES, damaged, decoded, malformed, short};
use crate::error::{Defect, ImportError};
use crate::limits::Limits;
use crate::names::{self, of_function, scheduler_of_thread};
use profile_builder::{FrameId, FunctionId, Labels, ProfileBuilder};

/// Names and paths are cut after so many bytes.
const MAX_TEXT_BYTES: usize = 4096;

/// The tables, by the number of their field.
const MAPPINGS: u64 = 1;
const LOCATIONS: u64 = 2;
const FUNCTIONS: u64 = 3;
const STRINGS: u64 = 5;
const ATTRIBUTES: u64 = 6;
const STACKS: u64 = 7;

/// The useful fact in an attribute of a sample or place.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Fact {
    Nothing,
    ThreadName(String),
    ThreadId(u64),
    ErlangPid(String),
    Process(String),
    Scheduler(SchedulerId),
    Class(SampleClass),
    Trust(Trust),
    FrameType(String),
}

/// The dictionary of a message.
pub(super) struct Tables<'b> {
    mappings: Vec<&'b [u8]>,
    locations: Vec<&'b [u8]>,
    functions: Vec<&'b [u8]>,
    strings: Vec<&'b [u8]>,
    attributes: Vec<&'b [u8]>,
    stacks: Vec<&'b [u8]>,
    facts: Vec<Fact>,
    max_entries: usize,
}

/// An index points nowhere in the table of these.
fn no_entry(what: &str, index: i32) -> ImportError {
    let defect = Defect::at(&format!("{what}_table"), index);
    malformed(defect, format!("there is no {what} {index}"))
}

impl<'b> Tables<'b> {
    pub(super) fn new(limits: &Limits) -> Self {
        Self {
            mappings: Vec::new(),
            locations: Vec::new(),
            functions: Vec::new(),
            strings: Vec::new(),
            attributes: Vec::new(),
            stacks: Vec::new(),
            facts: Vec::new(),
            max_entries: limits.max_samples,
        }
    }

    /// Adds a dictionary.
    pub(super) fn add(&mut self, dictionary: &'b [u8]) -> Result<(), ImportError> {
        let mut fields = Fields::new(dictionary);
        while let Some(field) = fields.next_field().map_err(damaged)? {
            let Field::Bytes(number, content) = field else {
                continue;
            };
            let table = match number {
                MAPPINGS => &mut self.mappings,
                LOCATIONS => &mut self.locations,
                FUNCTIONS => &mut self.functions,
                STRINGS => &mut self.strings,
                ATTRIBUTES => &mut self.attributes,
                STACKS => &mut self.stacks,
                _ => continue,
            };
            if table.len() >= self.max_entries {
                return Err(self.too_many("entries of one table"));
            }
            table.push(content);
        }
        Ok(())
    }

    pub(super) fn too_many(&self, what: &'static str) -> ImportError {
        ImportError::TooMany {
            what,
            max: self.max_entries,
        }
    }

    /// Takes the useful facts from the attributes; after all dictionaries were added.
    pub(super) fn read_attributes(&mut self) -> Result<(), ImportError> {
        let mut facts = Vec::with_capacity(self.attributes.len());
        for bytes in &self.attributes {
            // Comments may be long; they are read elsewhere.
            let attribute = match bytes.len() {
                0..=MAX_ENTRY_BYTES => decoded::<Attribute>(bytes)?,
                _ => Attribute::default(),
            };
            facts.push(self.fact(&attribute)?);
        }
        self.facts = facts;
        Ok(())
    }

    fn fact(&self, attribute: &Attribute) -> Result<Fact, ImportError> {
        let value = attribute.value.as_ref().and_then(|it| it.value.as_ref());
        let Some(value) = value else {
            return Ok(Fact::Nothing);
        };
        let text = || short(&self.text_of(value).unwrap_or_default());
        let key = self.text(attribute.key_strindex)?;
        let fact = match key.as_str() {
            keys::THREAD_NAME | "thread" => Some(Fact::ThreadName(text())),
            keys::THREAD_ID | "tid" => match value {
                Value::Number(number) => u64::try_from(*number).ok().map(Fact::ThreadId),
                _ => text().parse().ok().map(Fact::ThreadId),
            },
            "pid" => Some(Fact::ErlangPid(text()).of_erlang()),
            "process" => Some(Fact::Process(text())),
            "scheduler" => SchedulerId::parse(&text()).map(Fact::Scheduler),
            "class" => SampleClass::parse(&text()).map(Fact::Class),
            "trust" => Trust::parse(&text()).map(Fact::Trust),
            keys::FRAME_TYPE => Some(Fact::FrameType(text())),
            _ => None,
        };
        Ok(fact.unwrap_or(Fact::Nothing))
    }

    fn entry(table: &[&'b [u8]], index: i32, what: &str) -> Result<&'b [u8], ImportError> {
        let found = usize::try_from(index)
            .ok()
            .and_then(|index| table.get(index));
        match (found, index) {
            (Some(bytes), _) => Ok(bytes),
            // It stands for none, whether it is written or not.
            (None, 0) => Ok(&[]),
            (None, _) => Err(no_entry(what, index)),
        }
    }

    /// A string, cut when it is too long.
    pub(super) fn text(&self, index: i32) -> Result<String, ImportError> {
        let bytes = Self::entry(&self.strings, index, "string")?;
        let bytes = bytes.get(..MAX_TEXT_BYTES).unwrap_or(bytes);
        Ok(String::from_utf8_lossy(bytes).into_owned())
    }

    /// The value as a text, if it is one or a number that can be written as one.
    pub(super) fn text_of(&self, value: &Value) -> Option<String> {
        match value {
            Value::Text(text) => Some(text.clone()),
            Value::TextIndex(index) => self.text(*index).ok(),
            Value::Number(number) => Some(number.to_string()),
            Value::List(list) => match &list.values[..] {
                [one] => match one.value.as_ref()? {
                    Value::List(_) => None,
                    value => self.text_of(value),
                },
                _ => None,
            },
        }
    }

    /// The value of an attribute, when it has this key.
    pub(super) fn value_of(&self, index: i32, key: &str) -> Result<Option<Value>, ImportError> {
        let bytes = Self::entry(&self.attributes, index, "attribute")?;
        let attribute: Attribute = decoded(bytes)?;
        let has_key = self.text(attribute.key_strindex)? == key;
        Ok(attribute
            .value
            .and_then(|value| value.value)
            .filter(|_| has_key))
    }

    /// Puts the fact in an attribute into labels.
    pub(super) fn label(&self, index: i32, labels: &mut Labels) -> Result<(), ImportError> {
        let fact = match usize::try_from(index).map(|index| self.facts.get(index)) {
            Ok(Some(fact)) => fact,
            _ if index == 0 => &Fact::Nothing,
            _ => return Err(no_entry("attribute", index)),
        };
        match fact.clone() {
            Fact::Nothing | Fact::FrameType(_) => {}
            Fact::ThreadName(name) => {
                labels.scheduler = labels.scheduler.or_else(|| scheduler_of_thread(&name));
                labels.thread_name = name;
            }
            Fact::ThreadId(id) => labels.thread_id = id,
            Fact::ErlangPid(pid) => labels.erlang_pid = pid,
            Fact::Process(name) => labels.process_name = name,
            Fact::Scheduler(scheduler) => labels.scheduler = Some(scheduler),
            Fact::Class(class) => labels.class = Some(class),
            Fact::Trust(trust) => labels.trust = Some(trust),
        }
        Ok(())
    }

    /// The places of a stack, leaf first.
    pub(super) fn stack(&self, index: i32) -> Result<Vec<i32>, ImportError> {
        let stack: Stack = decoded(Self::entry(&self.stacks, index, "stack")?)?;
        Ok(stack.location_indices)
    }

    fn location(&self, index: i32) -> Result<Location, ImportError> {
        decoded(Self::entry(&self.locations, index, "location")?)
    }

    /// The path of an object, as an index of strings.
    fn path_of(&self, mapping: i32) -> Result<i32, ImportError> {
        let mapping: Mapping = decoded(Self::entry(&self.mappings, mapping, "mapping")?)?;
        Ok(mapping.filename_strindex)
    }

    fn function(&self, index: i32) -> Result<Function, ImportError> {
        decoded(Self::entry(&self.functions, index, "function")?)
    }

    /// What kind of frame a place is, by its attributes.
    fn frame_type(&self, attributes: &[i32]) -> &str {
        let of = |index: &i32| match self.facts.get(usize::try_from(*index).ok()?)? {
            Fact::FrameType(kind) => Some(kind.as_str()),
            _ => None,
        };
        attributes.iter().find_map(of).unwrap_or_default()
    }
}

impl Fact {
    /// Other tools have a label of that name with another kind of number.
    fn of_erlang(self) -> Self {
        match self {
            Self::ErlangPid(pid) if pid.starts_with('<') && pid.ends_with('>') => {
                Self::ErlangPid(pid)
            }
            _ => Self::Nothing,
        }
    }
}

/// Frames of places, made when they are first met.
#[derive(Default)]
pub(super) struct Frames {
    /// Of each place the range in `list`.
    places: HashMap<i32, (usize, usize)>,
    list: Vec<FrameId>,
    /// By function, path of the object, and kind of frame.
    functions: HashMap<(i32, i32, String), FunctionId>,
}

impl Frames {
    /// The frames of a place, the outermost first.
    pub(super) fn of_place(
        &mut self,
        index: i32,
        tables: &Tables<'_>,
        profile: &mut ProfileBuilder,
    ) -> Result<Vec<FrameId>, ImportError> {
        if let Some(&(start, end)) = self.places.get(&index) {
            return Ok(self.list.get(start..end).unwrap_or_default().to_vec());
        }
        let location = tables.location(index)?;
        let path = tables.path_of(location.mapping_index)?;
        let kind = tables.frame_type(&location.attribute_indices);
        let start = self.list.len();
        if location.lines.is_empty() {
            let facts = names::of_symbol(kind == "kernel", "", &tables.text(path)?);
            let frame = profile.frame(facts, 0);
            self.list.push(frame);
        }
        for line in location.lines.iter().rev() {
            let key = (line.function_index, path, kind.to_owned());
            let function = match self.functions.get(&key) {
                Some(&known) => known,
                None => {
                    let function = tables.function(line.function_index)?;
                    let mut facts = of_function(
                        &tables.text(function.name_strindex)?,
                        &tables.text(function.system_name_strindex)?,
                        &tables.text(path)?,
                        kind,
                    );
                    facts.file = tables.text(function.filename_strindex)?;
                    facts.head_line = u32::try_from(function.start_line).unwrap_or(0);
                    let made = profile.function(facts);
                    self.functions.insert(key, made);
                    made
                }
            };
            let line = u32::try_from(line.line).unwrap_or(0);
            self.list.push(profile.place(function, line));
        }
        self.places.insert(index, (start, self.list.len()));
        Ok(self.list.get(start..).unwrap_or_default().to_vec())
    }
}
