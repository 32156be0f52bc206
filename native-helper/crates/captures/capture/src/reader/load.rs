//! The tables of a profile message: strings, mappings, functions, locations.
//!
//! Fields may come in any order, so they are gone through once for each kind of table.

use prost::Message;

use super::cut_message::keep_going;
use super::runs::Runs;
use super::samples::{KnownParts, SampleLoader};
use super::text::TextId;
use super::{
    Capture, Frame, FunctionIndex, FunctionRow, LocationRow, ReadError, split_system_name,
};
use crate::end::{FILE_END, FileEnd};
use crate::limits::{
    MAX_COMMENTS, MAX_LINES_PER_LOCATION, MAX_NODE_READINGS, MAX_SAMPLE_TYPES, MAX_STAYS,
};
use crate::marks::Mark;
use crate::pprof::{Function, Line, Mapping, NodeReading, Stay, ValueType};
use crate::sample::FrameKind;
use crate::stays::keep_longest;
use crate::wire::{Field, Fields, WireError, take_varint};

const SAMPLE_TYPE: u64 = 1;
const MAPPING: u64 = 3;
const LOCATION: u64 = 4;
const FUNCTION: u64 = 5;
const STRING: u64 = 6;
const TIME_NANOS: u64 = 9;
const DURATION_NANOS: u64 = 10;
const PERIOD: u64 = 12;
const COMMENT: u64 = 13;
const DEFAULT_SAMPLE_TYPE: u64 = 14;
const NODE_READING: u64 = 1000;
const STAY: u64 = 1002;

/// Adds one row of a table.
type LoadRow = fn(&mut Capture, &[u8]) -> Result<(), ReadError>;

impl Capture {
    /// In this order: rows of each refer to those of the ones before.
    const TABLES: [(u64, LoadRow); 3] = [
        (MAPPING, Self::load_mapping),
        (FUNCTION, Self::load_function),
        (LOCATION, Self::load_location),
    ];

    /// Adds the content of a message. With `cut`, the message lacks its end, and records that refer
    /// to the missing part are left out instead of being an error.
    pub(super) fn load(
        &mut self,
        message: &[u8],
        known: &mut KnownParts,
        cut: bool,
    ) -> Result<(), ReadError> {
        let (runs, end) =
            Runs::of(message).map_err(|_| ReadError::NotAProfile("it is no protobuf message"))?;
        self.truncated |= end.is_some();
        let cut = cut || end.is_some();
        self.load_tables(message, &runs, cut)?;
        SampleLoader::new(self, known).load(Runs::fields(message, &runs.samples), cut)
    }

    fn load_tables(&mut self, message: &[u8], runs: &Runs, cut: bool) -> Result<(), ReadError> {
        self.load_strings_and_scalars(Runs::fields(message, &runs.tables))?;
        if self.texts.len() == 0 {
            return Err(ReadError::NotAProfile("it has no string table"));
        }
        if self.sample_types.is_empty() {
            return Err(ReadError::NotAProfile(
                "it does not say what its samples measure",
            ));
        }
        for (table, load) in Self::TABLES {
            for field in Runs::fields(message, &runs.tables) {
                match field {
                    Field::Bytes(found, content) if found == table => {
                        keep_going(load(self, content), cut)?;
                    }
                    _ => {}
                }
            }
        }
        Ok(())
    }

    fn load_strings_and_scalars<'m>(
        &mut self,
        fields: impl Iterator<Item = Field<'m>>,
    ) -> Result<(), ReadError> {
        for field in fields {
            match field {
                Field::Bytes(STRING, text) => self.texts.push(text, &self.limits)?,
                Field::Bytes(SAMPLE_TYPE, content) => {
                    let value_type: ValueType = decode(content)?;
                    self.sample_types.push([value_type.r#type, value_type.unit]);
                    if self.sample_types.len() > MAX_SAMPLE_TYPES {
                        let what = "kinds of values";
                        return Err(ReadError::TooMany {
                            what,
                            max: MAX_SAMPLE_TYPES,
                        });
                    }
                }
                Field::Bytes(COMMENT, mut packed) => {
                    while !packed.is_empty() {
                        let index = take_varint(&mut packed)
                            .map_err(|_| ReadError::Corrupt("a comment".to_owned()))?;
                        self.push_comment(index as i64);
                    }
                }
                Field::Bytes(NODE_READING, content) => {
                    // The field is none of pprof's: content that makes no sense is another
                    // program's, and the samples matter more.
                    if let Ok(reading) = NodeReading::decode(content)
                        && reading.has_figures()
                        && self.node_readings.len() < MAX_NODE_READINGS
                    {
                        self.node_readings.push(reading);
                    }
                }
                Field::Bytes(STAY, content) => {
                    if let Ok(stay) = Stay::decode(content)
                        && stay.is_sensible()
                    {
                        self.push_stay(stay);
                    }
                }
                Field::Varint(COMMENT, index) => self.push_comment(index as i64),
                Field::Varint(TIME_NANOS, value) => self.started_unix_ns = non_negative(value),
                Field::Varint(DURATION_NANOS, value) => self.duration_ns = non_negative(value),
                // The last one counts: a file begins with the one of no end yet.
                Field::Varint(FILE_END, value) => self.file_end = FileEnd::of_number(value),
                Field::Varint(PERIOD, value) => self.period_ns = non_negative(value),
                Field::Varint(DEFAULT_SAMPLE_TYPE, value) => {
                    self.default_sample_type = value as i64;
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Of a kind the last comment counts, so the first ones go when there are too many.
    fn push_comment(&mut self, index: i64) {
        if self.comments.len() == MAX_COMMENTS {
            self.comments.drain(..MAX_COMMENTS / 2);
        }
        self.comments.push(index);
    }

    /// The shorter ones go when there are too many.
    fn push_stay(&mut self, stay: Stay) {
        if self.stays.len() >= MAX_STAYS {
            keep_longest(&mut self.stays, MAX_STAYS / 2);
        }
        self.stays.push(stay);
    }

    pub(super) fn text_id(&self, index: i64) -> Result<TextId, ReadError> {
        let missing = ReadError::BadIndex {
            what: "string",
            index: index as u64,
        };
        self.texts.id(index).ok_or(missing)
    }

    fn load_mapping(&mut self, content: &[u8]) -> Result<(), ReadError> {
        let max = self.limits.max_mappings;
        ReadError::unless_room(self.mapping_objects.len(), max, "mappings")?;
        let mapping: Mapping = decode(content)?;
        let object = self.text_id(mapping.filename)?;
        let position = self.mapping_objects.len() as u32;
        if !self.mapping_ids.insert(mapping.id, position) {
            return Err(twice("mapping", mapping.id));
        }
        self.mapping_objects.push(object);
        Ok(())
    }

    fn load_function(&mut self, content: &[u8]) -> Result<(), ReadError> {
        self.check_room_for_function()?;
        let function: Function = decode(content)?;
        let system_name = self.text_id(function.system_name)?;
        let kind = split_system_name(self.texts.get(system_name))
            .map_or(FrameKind::Native, |(kind, _)| kind);
        let row = FunctionRow {
            name: self.text_id(function.name)?,
            system_name,
            kind,
            file: self.text_id(function.filename)?,
            head_line: to_line(function.start_line),
            object: TextId::EMPTY,
        };
        let position = self.functions.len() as u32;
        if !self.function_ids.insert(function.id, position) {
            return Err(twice("function", function.id));
        }
        self.functions.push(row);
        Ok(())
    }

    fn load_location(&mut self, content: &[u8]) -> Result<(), ReadError> {
        let max = self.limits.max_locations;
        ReadError::unless_room(self.locations.len(), max, "locations")?;
        let location = LocationRecord::of(content)?;
        let max = self.limits.max_lines.saturating_sub(location.lines.len());
        if self.lines.len() > max {
            let (what, max) = ("lines of locations", self.limits.max_lines);
            return Err(ReadError::TooMany { what, max });
        }
        let object = match location.mapping_id {
            0 => TextId::EMPTY,
            id => {
                let missing = ReadError::BadIndex {
                    what: "mapping",
                    index: id,
                };
                let position = self.mapping_ids.get(id).ok_or(missing)?;
                self.mapping_objects
                    .get(position as usize)
                    .copied()
                    .unwrap_or(TextId::EMPTY)
            }
        };
        let first_line = self.lines.len() as u32;
        for line in &location.lines {
            let missing = ReadError::BadIndex {
                what: "function",
                index: line.function_id,
            };
            let function = self.function_ids.get(line.function_id).ok_or(missing)?;
            if let Some(row) = self.functions.get_mut(function as usize)
                && row.object == TextId::EMPTY
            {
                row.object = object;
            }
            self.lines.push(Frame {
                function: FunctionIndex(function),
                line: to_line(line.line),
            });
        }
        if location.is_cut {
            let frame = self.too_deep_frame();
            self.lines.push(frame);
        }
        if location.lines.is_empty() {
            self.check_room_for_function()?;
            let function = self.add_unnamed_function(location.address, object);
            self.lines.push(Frame { function, line: 0 });
        }
        let row = LocationRow {
            first_line,
            end_line: self.lines.len() as u32,
        };
        let position = self.locations.len() as u32;
        if !self.location_ids.insert(location.id, position) {
            return Err(twice("location", location.id));
        }
        self.locations.push(row);
        Ok(())
    }

    fn check_room_for_function(&self) -> Result<(), ReadError> {
        ReadError::unless_room(self.functions.len(), self.limits.max_functions, "functions")
    }

    /// The frame in place of frames that are left out.
    fn too_deep_frame(&mut self) -> Frame {
        let function = *self.too_deep_function.get_or_insert_with(|| {
            let name = self.texts.push_own(Mark::TooDeep.name().to_owned());
            let index = FunctionIndex(self.functions.len() as u32);
            self.functions.push(FunctionRow {
                name,
                system_name: name,
                kind: FrameKind::Marker,
                file: TextId::EMPTY,
                head_line: 0,
                object: TextId::EMPTY,
            });
            index
        });
        Frame { function, line: 0 }
    }

    /// A location of the frame in place of frames that are left out.
    pub(super) fn too_deep_location(&mut self) -> u32 {
        if let Some(location) = self.too_deep_location {
            return location;
        }
        let frame = self.too_deep_frame();
        let first_line = self.lines.len() as u32;
        self.lines.push(frame);
        let location = self.locations.len() as u32;
        self.locations.push(LocationRow {
            first_line,
            end_line: first_line + 1,
        });
        *self.too_deep_location.insert(location)
    }

    /// A function for an address that the profile has no name for.
    fn add_unnamed_function(&mut self, address: u64, object: TextId) -> FunctionIndex {
        let name = self.texts.push_own(format!("{address:#x}"));
        let index = FunctionIndex(self.functions.len() as u32);
        self.functions.push(FunctionRow {
            name,
            system_name: TextId::EMPTY,
            kind: FrameKind::Native,
            file: TextId::EMPTY,
            head_line: 0,
            object,
        });
        index
    }
}

/// A location. Its lines may be as many as a message has room for, and in memory take many times as much.
#[derive(Default)]
struct LocationRecord {
    id: u64,
    mapping_id: u64,
    address: u64,
    /// No more than are kept.
    lines: Vec<Line>,
    /// It has more of them. The frame [`Mark::TooDeep`] then takes the place of the last one.
    is_cut: bool,
}

impl LocationRecord {
    fn of(content: &[u8]) -> Result<Self, ReadError> {
        let damaged = |_: WireError| ReadError::Corrupt("a location".to_owned());
        let mut location = Self::default();
        let mut fields = Fields::new(content);
        while let Some(field) = fields.next_field().map_err(damaged)? {
            match field {
                Field::Varint(1, id) => location.id = id,
                Field::Varint(2, id) => location.mapping_id = id,
                Field::Varint(3, address) => location.address = address,
                Field::Bytes(4, _) if location.lines.len() == MAX_LINES_PER_LOCATION => {
                    location.is_cut = true;
                }
                Field::Bytes(4, line) => location.lines.push(decode(line)?),
                _ => {}
            }
        }
        location
            .lines
            .truncate(MAX_LINES_PER_LOCATION - usize::from(location.is_cut));
        Ok(location)
    }
}

fn decode<M: Message + Default>(content: &[u8]) -> Result<M, ReadError> {
    M::decode(content).map_err(|error| ReadError::Corrupt(error.to_string()))
}

fn twice(what: &str, id: u64) -> ReadError {
    ReadError::Corrupt(format!("{what} {id} is there twice"))
}

fn non_negative(value: u64) -> u64 {
    u64::try_from(value as i64).unwrap_or(0)
}

fn to_line(line: i64) -> u32 {
    u32::try_from(line).unwrap_or(0)
}
