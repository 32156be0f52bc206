//! The types of a capture's samples: which columns of the file they have, and which one queries return.

use super::{Capture, CountedType, NoSuchType};
use crate::sample::WAITING;
use crate::sample_types::{CPU, Figures, SampleType, TypeIndex, ValueName};

/// The unit of figures that count samples.
const SAMPLES: &str = CPU.count[0];

/// Which of a sample's values is which.
#[derive(Debug, Clone, Copy)]
pub(super) struct ValueColumns {
    pub(super) of: TypeIndex,
    pub(super) count: usize,
    pub(super) value: Option<usize>,
    /// In captures of Extrospect: how much processor time counts as one sample.
    pub(super) period_ns: Option<u64>,
}

/// The columns of all types.
pub(super) struct TypeColumns {
    first: ValueColumns,
    /// Only captures of Extrospect have further ones.
    further: Vec<ValueColumns>,
}

impl TypeColumns {
    /// Those that a row with such values counts by: of the first type that it has a value of. So no row counts twice.
    #[inline]
    pub(super) fn of_row(&self, values: &[i64]) -> ValueColumns {
        if self.further.is_empty() {
            return self.first;
        }
        let is_there = |column: usize| values.get(column).is_some_and(|value| *value != 0);
        let mut all = self.all();
        let found = all.find(|it| is_there(it.count) || it.value.is_some_and(is_there));
        found.unwrap_or(self.first)
    }

    fn all(&self) -> impl Iterator<Item = ValueColumns> {
        std::iter::once(self.first).chain(self.further.iter().copied())
    }
}

impl Capture {
    /// The columns of the samples to come. The types of the capture are those of the columns.
    pub(super) fn take_types(&mut self) -> TypeColumns {
        let columns = self.value_columns();
        self.types = columns.all().map(|it| it.of).collect();
        if !self.is_chosen {
            self.shown = columns.first.of;
        }
        columns
    }

    fn column(&self, [name, unit]: ValueName) -> Option<usize> {
        let mut types = self.sample_types.iter();
        types.position(|[one, of]| self.text_at(*one) == name && self.text_at(*of) == unit)
    }

    fn value_columns(&self) -> TypeColumns {
        let further = TypeIndex::all().filter(|of| *of != TypeIndex::CPU);
        let further = further.filter_map(|of| {
            let SampleType { count, value, .. } = of.sample_type();
            Some(ValueColumns {
                of,
                count: self.column(count)?,
                value: Some(self.column(value)?),
                period_ns: None,
            })
        });
        let mut further: Vec<ValueColumns> = further.collect();
        // Another tool may use the same names, but fills more than one type in a row.
        if further.is_empty() || !self.is_own() {
            return TypeColumns {
                first: self.columns_of_one(),
                further: Vec::new(),
            };
        }
        let of_time = self.column(CPU.count).zip(self.column(CPU.value));
        let first = match of_time {
            Some((count, value)) => ValueColumns {
                of: TypeIndex::CPU,
                count,
                value: Some(value),
                period_ns: (self.period_ns > 0).then_some(self.period_ns),
            },
            None => further.remove(0),
        };
        TypeColumns { first, further }
    }

    /// Samples are counted by the first value in the unit `count`, or else by the one to be shown
    /// first, which by the format is the last unless the profile names another.
    fn columns_of_one(&self) -> ValueColumns {
        let types = &self.sample_types;
        let preferred = types.iter().position(|[name, _]| {
            self.default_sample_type != 0 && *name == self.default_sample_type
        });
        let count = types
            .iter()
            .position(|[_, unit]| self.text_at(*unit) == "count")
            .or(preferred)
            .unwrap_or(types.len().saturating_sub(1));
        let cpu_ns = self.column(CPU.value);
        let is_own = cpu_ns.is_some() && self.period_ns > 0 && self.is_own();
        ValueColumns {
            of: TypeIndex::CPU,
            count,
            value: cpu_ns,
            period_ns: is_own.then_some(self.period_ns),
        }
    }

    /// Whether samples may have this type. What another tool's profile counts is in the place of processor time.
    pub fn has(&self, one: &SampleType) -> bool {
        self.index_of(one).is_some()
    }

    pub(super) fn index_of(&self, one: &SampleType) -> Option<TypeIndex> {
        let mut types = self.types.iter().copied();
        types.find(|of| of.sample_type() == *one)
    }

    /// The type that is shown: processor time also where another tool's profile has something else in its place.
    pub fn shown(&self) -> SampleType {
        self.shown.sample_type()
    }

    /// The type that is shown, as the profile has it.
    pub fn counted_type(&self) -> CountedType {
        self.described(self.shown)
    }

    /// The columns of the type that is shown, in a file of it.
    pub fn shown_columns(&self) -> Vec<usize> {
        let columns = self.value_columns();
        let mut all = columns.all();
        let found = all.find(|it| it.of == self.shown);
        let shown = found.unwrap_or(columns.first);
        let value = shown.value.filter(|value| *value != shown.count);
        std::iter::once(shown.count).chain(value).collect()
    }

    /// The types that the capture has, in the order of its columns.
    pub fn counted_types(&self) -> impl Iterator<Item = CountedType> {
        self.types.iter().map(|of| self.described(*of))
    }

    /// Shows another type: from now on, all queries are of its samples.
    ///
    /// # Errors
    /// The capture does not have it.
    pub fn show(&mut self, name: &str) -> Result<(), NoSuchType> {
        let mut types = self.types.iter().copied();
        match types.find(|of| self.described(*of).name == name) {
            Some(found) => {
                (self.shown, self.is_chosen) = (found, true);
                Ok(())
            }
            None => Err(NoSuchType {
                requested: name.to_owned(),
                has: self.counted_types().map(|it| it.name).collect(),
            }),
        }
    }

    fn described(&self, of: TypeIndex) -> CountedType {
        let named = |one: SampleType, unit: &str| CountedType {
            name: one.id.to_owned(),
            unit: unit.to_owned(),
            label: one.label.to_owned(),
        };
        if of != TypeIndex::CPU {
            let one = of.sample_type();
            return named(one, one.value[1]);
        }
        let [name, unit] = self.counted_column();
        let is_samples = [name, unit] == CPU.count;
        if is_samples && self.column(CPU.value).is_some() {
            return named(CPU, SAMPLES);
        }
        let unit = if is_samples { SAMPLES } else { unit };
        CountedType {
            name: name.to_owned(),
            unit: unit.to_owned(),
            label: self.unit_of(of),
        }
    }

    /// Name and unit of the column that figures add up, of processor time or in its place.
    fn counted_column(&self) -> [&str; 2] {
        let TypeColumns { first, .. } = self.value_columns();
        let measured = self.sample_types.get(first.count);
        measured.map_or(CPU.count, |pair| pair.map(|index| self.text_at(index)))
    }

    /// Whether it is a profile of memory, as those of other languages are: bytes are counted, and no time.
    pub fn is_of_memory(&self) -> bool {
        let has = |wanted: &str| {
            self.sample_types
                .iter()
                .any(|[_, unit]| self.text_at(*unit) == wanted)
        };
        self.shown == TypeIndex::CPU && has("bytes") && !has("nanoseconds")
    }

    /// Whether it has how long processes waited, as `waits` writes it, and nothing of processors.
    pub fn is_of_waiting(&self) -> bool {
        self.column(WAITING).is_some()
    }

    /// The unit of the figures: `samples`, or of a profile that measures something else
    /// `milliseconds of waiting`.
    pub fn unit(&self) -> String {
        self.unit_of(self.shown)
    }

    /// The same where the counts of other tools are called samples, too.
    pub fn unit_or_samples(&self) -> String {
        match self.shown.figures() {
            Figures::Count => SAMPLES.to_owned(),
            Figures::Value => self.unit(),
        }
    }

    fn unit_of(&self, of: TypeIndex) -> String {
        if of != TypeIndex::CPU {
            let one = of.sample_type();
            return match one.value[1] {
                "count" => one.label.to_owned(),
                unit => format!("{unit} of {}", one.label),
            };
        }
        match self.counted_column() {
            ["samples", "count"] => SAMPLES.to_owned(),
            [name, "count"] => name.to_owned(),
            [name, unit] => format!("{unit} of {name}"),
        }
    }
}
