//! Entries of earlier increments that later ones refer to.

use shared_map::HashMap;

use crate::facts::{
    BUILD_COMMENT, HOST_COMMENT, ORIGIN_COMMENT, QUALITY_COMMENT, SETTINGS_COMMENT, TARGET_COMMENT,
    WORK_COMMENT,
};
use crate::pprof::{Function, Location, Mapping, Profile, ValueType};
use crate::quality::QualityRecord;
use crate::reader::ReadError;
use crate::writer::strings::GENERATION;

/// The facts of a segment about the capture, in this order.
const FACTS: [&str; 6] = [
    TARGET_COMMENT,
    SETTINGS_COMMENT,
    ORIGIN_COMMENT,
    BUILD_COMMENT,
    HOST_COMMENT,
    WORK_COMMENT,
];

/// Strings that are kept without having been used again. The writer forgets a string when two
/// generations of others have come after its last use; until then it may be referred to by its index.
/// With those that were known to it already at that time that makes three generations of different
/// strings, and some more since it uses those of one increment in another order.
const KEPT_STRINGS: usize = 4 * GENERATION;

/// A function with its texts.
#[derive(Debug)]
pub(super) struct KnownFunction {
    pub(super) name: String,
    pub(super) system_name: String,
    pub(super) file: String,
    pub(super) start_line: i64,
}

/// An object with its texts.
#[derive(Debug)]
pub(super) struct KnownMapping {
    pub(super) mapping: Mapping,
    pub(super) filename: String,
    pub(super) build_id: String,
}

/// The sample types and the period, with their texts: name and unit.
#[derive(Debug, Default)]
pub(super) struct Measured {
    pub(super) sample_types: Vec<[String; 2]>,
    pub(super) period_type: Option<[String; 2]>,
    pub(super) period: i64,
    pub(super) default_sample_type: String,
}

/// Tables and facts so far.
#[derive(Debug, Default)]
pub(super) struct Known {
    strings: RecentStrings,
    mappings: HashMap<u64, KnownMapping>,
    functions: HashMap<u64, KnownFunction>,
    locations: HashMap<u64, Location>,
    measured: Measured,
    started_unix_ns: u64,
    /// Of each kind the last one, and whether it came with the last increment.
    facts: [Option<(String, bool)>; FACTS.len()],
    quality: Option<QualityRecord>,
}

impl Known {
    /// Takes in all of an increment but its samples.
    pub(super) fn add(&mut self, new: Profile) -> Result<(), ReadError> {
        self.add_strings(new.string_table);
        // The first increment defines the sample types.
        if self.measured.sample_types.is_empty() && !new.sample_type.is_empty() {
            self.measured = Measured {
                sample_types: self.texts_of(&new.sample_type)?,
                period_type: self.texts_of(new.period_type.as_slice())?.pop(),
                period: new.period,
                default_sample_type: self.text(new.default_sample_type)?.to_owned(),
            };
            self.started_unix_ns = u64::try_from(new.time_nanos).unwrap_or(0);
        }
        for mapping in new.mapping {
            let known = KnownMapping {
                filename: self.text(mapping.filename)?.to_owned(),
                build_id: self.text(mapping.build_id)?.to_owned(),
                mapping,
            };
            self.mappings.insert(known.mapping.id, known);
        }
        for function in new.function {
            let known = self.known_function(&function)?;
            self.functions.insert(function.id, known);
        }
        for location in new.location {
            self.locations.insert(location.id, location);
        }
        Ok(())
    }

    fn add_strings(&mut self, texts: Vec<String>) {
        for (_, is_new) in self.facts.iter_mut().flatten() {
            *is_new = false;
        }
        for text in texts {
            if let Some(json) = text.strip_prefix(QUALITY_COMMENT) {
                self.quality = named_members::from_slice(json.as_bytes()).ok();
                self.strings.skip();
            } else if let Some(kind) = FACTS.iter().position(|it| text.starts_with(it)) {
                let json = text.strip_prefix(FACTS[kind]).unwrap_or_default();
                self.facts[kind] = Some((json.to_owned(), true));
                self.strings.skip();
            } else {
                self.strings.push(text);
            }
        }
    }

    fn known_function(&mut self, function: &Function) -> Result<KnownFunction, ReadError> {
        Ok(KnownFunction {
            name: self.text(function.name)?.to_owned(),
            system_name: self.text(function.system_name)?.to_owned(),
            file: self.text(function.filename)?.to_owned(),
            start_line: function.start_line,
        })
    }

    fn texts_of(&mut self, types: &[ValueType]) -> Result<Vec<[String; 2]>, ReadError> {
        let mut texts = Vec::with_capacity(types.len());
        for it in types {
            let name = self.text(it.r#type)?.to_owned();
            texts.push([name, self.text(it.unit)?.to_owned()]);
        }
        Ok(texts)
    }

    /// A string of the capture by its index there.
    pub(super) fn text(&mut self, index: i64) -> Result<&str, ReadError> {
        self.strings.get(index).ok_or(ReadError::BadIndex {
            what: "string",
            index: index as u64,
        })
    }

    pub(super) fn location(&self, id: u64) -> Result<&Location, ReadError> {
        let missing = ReadError::BadIndex {
            what: "location",
            index: id,
        };
        self.locations.get(&id).ok_or(missing)
    }

    pub(super) fn function(&self, id: u64) -> Result<&KnownFunction, ReadError> {
        let missing = ReadError::BadIndex {
            what: "function",
            index: id,
        };
        self.functions.get(&id).ok_or(missing)
    }

    pub(super) fn mapping(&self, id: u64) -> Option<&KnownMapping> {
        self.mappings.get(&id)
    }

    pub(super) fn measured(&self) -> &Measured {
        &self.measured
    }

    pub(super) fn started_unix_ns(&self) -> u64 {
        self.started_unix_ns
    }

    /// The capture's last record of its quality.
    pub(super) fn quality(&self) -> Option<QualityRecord> {
        self.quality.clone()
    }

    /// Facts with their prefixes: those that are new, or all where a segment begins.
    pub(super) fn facts_to_write(&self, all: bool) -> Vec<(&'static str, String)> {
        let facts = FACTS.iter().zip(&self.facts).filter_map(|(prefix, fact)| {
            let (json, is_new) = fact.as_ref()?;
            (all || *is_new).then(|| (*prefix, json.clone()))
        });
        facts.collect()
    }
}

/// Strings by their index, as long as they may be referred to.
#[derive(Debug, Default)]
struct RecentStrings {
    recent: HashMap<i64, String>,
    older: HashMap<i64, String>,
    next: i64,
}

impl RecentStrings {
    fn push(&mut self, text: String) {
        self.keep(self.next, text);
        self.next += 1;
    }

    /// A string that nothing refers to by its index again.
    fn skip(&mut self) {
        self.next += 1;
    }

    fn keep(&mut self, index: i64, text: String) {
        if self.recent.len() >= KEPT_STRINGS {
            self.older = std::mem::take(&mut self.recent);
        }
        self.recent.insert(index, text);
    }

    fn get(&mut self, index: i64) -> Option<&str> {
        if index == 0 {
            return Some("");
        }
        if let Some(text) = self.older.remove(&index) {
            self.keep(index, text);
        }
        self.recent.get(&index).map(String::as_str)
    }
}
