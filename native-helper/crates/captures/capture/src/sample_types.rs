//! The quantities that samples count. One table for writer, reader, comparison and editor; the editor's copy,
//! `contract/sample-types.generated.ts`, is generated from here, and a test compares them.

/// A name and a unit, as pprof and OpenTelemetry have them.
pub type ValueName = [&'static str; 2];

/// A quantity that samples count. In a file it has two columns, and each row of the file has values in the columns of
/// one type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct SampleType {
    /// On the command line and in JSON: `off-cpu`.
    pub id: &'static str,
    /// For people, in the middle of a sentence: `blocked time`.
    pub label: &'static str,
    /// The column with the number of samples.
    pub count: ValueName,
    /// The column with the quantity that they stand for.
    pub value: ValueName,
    /// The quantity that figures add up.
    pub figures: Figures,
    /// Values of different stacks may be added. A length or a maximum would not.
    pub adds_up: bool,
    /// Some samples are no work, by their class: then there is a share of the busy ones.
    pub has_idle: bool,
    /// How far a figure can be trusted.
    pub evidence: Evidence,
}

/// The quantity that figures of a type add up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Figures {
    /// Samples, as many as there would have been at the requested rate.
    Count,
    /// The value: nanoseconds, bytes.
    Value,
}

/// How far a figure can be trusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Evidence {
    /// As far as the number of its samples permits.
    Samples,
    /// Fully: each event was recorded, or the quality states for how long not.
    Exact,
}

/// Processor time.
pub const CPU: SampleType = SampleType {
    id: "cpu",
    label: "CPU time",
    count: ["samples", "count"],
    value: ["cpu", "nanoseconds"],
    figures: Figures::Count,
    adds_up: true,
    has_idle: true,
    evidence: Evidence::Samples,
};

/// Time in which a thread had no processor: it was blocked in a call, or another thread had the processor.
pub const OFF_CPU: SampleType = SampleType {
    id: "off-cpu",
    label: "blocked time",
    count: ["off_cpu_blocks", "count"],
    value: ["off_cpu", "nanoseconds"],
    figures: Figures::Value,
    adds_up: true,
    has_idle: true,
    evidence: Evidence::Exact,
};

/// Memory that processes allocated on their heaps.
pub const ALLOC: SampleType = SampleType {
    id: "alloc",
    label: "allocated bytes",
    count: ["alloc_samples", "count"],
    value: ["alloc_space", "bytes"],
    figures: Figures::Value,
    adds_up: true,
    has_idle: false,
    evidence: Evidence::Samples,
};

/// Page faults, major and minor ones alike: memory that the kernel gave to the process, or found for it, as it was touched.
pub const FAULTS: SampleType = SampleType {
    id: "faults",
    label: "page faults",
    count: ["fault_samples", "count"],
    value: ["faults", "count"],
    figures: Figures::Value,
    adds_up: true,
    has_idle: true,
    evidence: Evidence::Exact,
};

/// All types, in the order in which files have them. New ones are added at the end.
pub const ALL: [SampleType; 4] = [CPU, OFF_CPU, ALLOC, FAULTS];

/// The types of one capture: at least one, in the order of [`ALL`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TypeSet(u8);

/// A type of a [`TypeSet`]: its position in [`ALL`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TypeIndex(u8);

impl TypeIndex {
    /// Of [`CPU`].
    pub(crate) const CPU: Self = Self(0);

    /// Of all types.
    pub(crate) fn all() -> impl Iterator<Item = Self> {
        (0..ALL.len() as u8).map(Self)
    }

    pub(crate) fn as_usize(self) -> usize {
        usize::from(self.0)
    }

    pub(crate) fn sample_type(self) -> SampleType {
        ALL.get(self.as_usize()).copied().unwrap_or(CPU)
    }

    #[inline]
    pub(crate) fn figures(self) -> Figures {
        ALL.get(self.as_usize())
            .map_or(Figures::Count, |one| one.figures)
    }
}

impl TypeSet {
    /// [`CPU`] alone.
    pub const CPU: Self = Self(1);

    /// One type alone.
    pub fn of(one: &SampleType) -> Self {
        Self(bit(one))
    }

    /// These types and another one.
    #[must_use]
    pub fn with(self, one: &SampleType) -> Self {
        Self(self.0 | bit(one))
    }

    /// A type by which samples can be added; `None` when it is not one of these.
    pub fn index(self, of: &SampleType) -> Option<TypeIndex> {
        self.indices().find(|index| index.sample_type() == *of)
    }

    /// The types.
    pub fn iter(self) -> impl Iterator<Item = SampleType> {
        self.indices().map(TypeIndex::sample_type)
    }

    /// The columns of a file: two for each type.
    pub fn columns(self) -> impl Iterator<Item = ValueName> {
        self.iter().flat_map(|one| [one.count, one.value])
    }

    pub(crate) fn indices(self) -> impl Iterator<Item = TypeIndex> {
        TypeIndex::all().filter(move |index| (self.0 >> index.0) & 1 == 1)
    }

    pub(crate) fn has(self, index: TypeIndex) -> bool {
        self.indices().any(|one| one == index)
    }
}

/// All types are in the table, as only this module makes some.
fn bit(one: &SampleType) -> u8 {
    let position = ALL.iter().position(|known| known == one);
    1 << position.unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_in_the_order_of_the_table_each_once() {
        let set = TypeSet::of(&ALLOC).with(&CPU).with(&ALLOC);
        assert_eq!(set.iter().collect::<Vec<_>>(), [CPU, ALLOC]);
        assert_eq!(
            set.columns().collect::<Vec<_>>(),
            [CPU.count, CPU.value, ALLOC.count, ALLOC.value]
        );
        assert_eq!(set.index(&OFF_CPU), None);
        assert_eq!(set.index(&CPU), Some(TypeIndex::CPU));
        assert!(set.index(&ALLOC).is_some_and(|index| set.has(index)));
        assert_eq!(TypeSet::of(&CPU), TypeSet::CPU);
    }

    #[test]
    fn no_two_types_share_a_name() {
        let ids: std::collections::HashSet<_> = ALL.iter().map(|one| one.id).collect();
        let columns: std::collections::HashSet<_> = ALL
            .iter()
            .flat_map(|one| [one.count[0], one.value[0]])
            .collect();
        assert_eq!((ids.len(), columns.len()), (ALL.len(), 2 * ALL.len()));
    }
}
