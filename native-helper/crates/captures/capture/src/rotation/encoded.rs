//! The entries that a segment has already, so that each is in it once.

use shared_map::HashSet;

use super::known::Known;
use crate::pprof::{Function, Mapping, Profile, ValueType};
use crate::reader::ReadError;
use crate::writer::strings::StringTable;

/// Tables of a segment so far. Ids are those of the capture.
#[derive(Debug)]
pub(super) struct Encoded {
    strings: StringTable,
    mappings: HashSet<u64>,
    functions: HashSet<u64>,
    locations: HashSet<u64>,
    is_empty: bool,
}

impl Default for Encoded {
    fn default() -> Self {
        Self {
            strings: StringTable::new(),
            mappings: HashSet::new(),
            functions: HashSet::new(),
            locations: HashSet::new(),
            is_empty: true,
        }
    }
}

impl Encoded {
    /// Nothing was handed out yet.
    pub(super) fn is_empty(&self) -> bool {
        self.is_empty
    }

    pub(super) fn string(&mut self, text: &str) -> i64 {
        self.strings.intern(text)
    }

    pub(super) fn comment(&mut self, profile: &mut Profile, text: &str) {
        let index = self.strings.push_unshared(text.to_owned());
        profile.comment.push(index);
    }

    pub(super) fn take_strings(&mut self) -> Vec<String> {
        self.is_empty = false;
        self.strings.take_new()
    }

    /// Sets the sample types and the period.
    pub(super) fn describe(&mut self, profile: &mut Profile, known: &Known) {
        let measured = known.measured();
        let mut value_type = |[name, unit]: &[String; 2]| ValueType {
            r#type: self.strings.intern(name),
            unit: self.strings.intern(unit),
        };
        profile.sample_type = measured.sample_types.iter().map(&mut value_type).collect();
        profile.period_type = measured.period_type.as_ref().map(&mut value_type);
        profile.period = measured.period;
        profile.default_sample_type = self.strings.intern(&measured.default_sample_type);
    }

    /// Names a place, its functions and its object, when the segment has not named them yet.
    pub(super) fn name_place(
        &mut self,
        profile: &mut Profile,
        known: &Known,
        id: u64,
    ) -> Result<(), ReadError> {
        if self.locations.contains(&id) {
            return Ok(());
        }
        let location = known.location(id)?;
        for line in &location.line {
            self.name_function(profile, known, line.function_id)?;
        }
        self.name_object(profile, known, location.mapping_id);
        profile.location.push(location.clone());
        self.locations.insert(id);
        Ok(())
    }

    fn name_function(
        &mut self,
        profile: &mut Profile,
        known: &Known,
        id: u64,
    ) -> Result<(), ReadError> {
        if self.functions.contains(&id) {
            return Ok(());
        }
        let function = known.function(id)?;
        profile.function.push(Function {
            id,
            name: self.strings.intern(&function.name),
            system_name: self.strings.intern(&function.system_name),
            filename: self.strings.intern(&function.file),
            start_line: function.start_line,
        });
        self.functions.insert(id);
        Ok(())
    }

    fn name_object(&mut self, profile: &mut Profile, known: &Known, id: u64) {
        let Some(object) = known.mapping(id).filter(|_| self.mappings.insert(id)) else {
            return;
        };
        profile.mapping.push(Mapping {
            filename: self.strings.intern(&object.filename),
            build_id: self.strings.intern(&object.build_id),
            ..object.mapping.clone()
        });
    }
}
