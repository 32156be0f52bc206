//! The base of percentages: the samples that are 100 %.

use crate::class_split::{ClassSplit, percent};
use crate::counted::counted;
use crate::reader::LabelsView;
use crate::sample::SampleClass;
use crate::sample_types::FAULTS;

/// The quantity that captures of Extrospect count.
pub const SAMPLES: &str = "samples";

/// What 100 % is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PercentOf {
    /// The samples of work.
    Busy,
    /// All samples, those of waiting too.
    #[default]
    All,
}

impl PercentOf {
    /// The base that there is in a capture: all samples where none is known to be work.
    pub fn within(self, split: &ClassSplit) -> Self {
        match split.busy == 0 || !has_classes(split) {
            true => Self::All,
            false => self,
        }
    }

    /// The samples that are 100 %.
    pub fn whole(self, samples: u64, busy: u64) -> u64 {
        match self {
            Self::Busy => busy,
            Self::All => samples,
        }
    }

    /// Whether such samples are a part of it.
    pub fn counts(self, labels: &LabelsView<'_>) -> bool {
        match self {
            Self::Busy => labels.is_busy(),
            Self::All => true,
        }
    }

    /// The word after "% of".
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Busy => "busy",
            Self::All => "all",
        }
    }
}

/// Units that begin so are times, which have another unit in a text.
const NANOSECONDS_OF: &str = "nanoseconds of ";

/// `9688 samples`, or so much in another unit: `31.20 s of blocked time`.
pub fn amount_text(amount: u64, unit: &str) -> String {
    match (unit, unit.strip_prefix(NANOSECONDS_OF)) {
        (SAMPLES, _) => counted(amount, "sample"),
        (_, None) if unit == FAULTS.label => counted(amount, "page fault"),
        (_, Some(what)) => format!("{} of {what}", figure_text(amount, unit)),
        (_, None) => format!("{amount} {unit}"),
    }
}

/// The figure without its unit; of a time with it: `31.20 s`, `0.40 ms`.
pub fn figure_text(amount: u64, unit: &str) -> String {
    if !unit.starts_with(NANOSECONDS_OF) {
        return amount.to_string();
    }
    #[expect(clippy::cast_precision_loss, reason = "two decimals, for people")]
    let ms = amount as f64 / 1e6;
    match amount {
        0 => "0 ms".to_owned(),
        1..5_000 => "<0.01 ms".to_owned(),
        5_000..1_000_000_000 => format!("{ms:.2} ms"),
        _ => format!("{:.2} s", ms / 1e3),
    }
}

/// What such figures are of, as the heading of a column: `samples`, `blocked time`.
pub fn column_text(unit: &str) -> &str {
    unit.strip_prefix(NANOSECONDS_OF).unwrap_or(unit)
}

/// `9688 samples, 9644 busy`; without classes `9688 samples`, or another unit.
pub fn counts_text(split: &ClassSplit, unit: &str) -> String {
    let samples = amount_text(split.samples, unit);
    match has_classes(split) {
        true => format!("{samples}, {} busy", figure_text(split.busy, unit)),
        false => samples,
    }
}

/// The same, with the idle share: `9688 samples, 9644 busy, idle 0.5 % of all`.
pub fn totals_text(split: &ClassSplit, unit: &str) -> String {
    let mut text = counts_text(split, unit);
    if has_classes(split) {
        let (idle, spun) = (
            share_of(split, SampleClass::Idle),
            share_of(split, SampleClass::BusyWait),
        );
        if spun > 0.0 {
            text += &format!(", busy wait {spun:.1} % of all");
        }
        if idle > 0.0 || spun == 0.0 {
            text += &format!(", idle {idle:.1} % of all");
        }
    }
    text
}

/// Whether any sample has a class.
pub fn has_classes(split: &ClassSplit) -> bool {
    split.classes.iter().any(|share| share.class.is_some())
}

fn share_of(split: &ClassSplit, class: SampleClass) -> f64 {
    let shares = split.classes.iter();
    let of_class = shares.filter(|share| share.class == Some(class));
    percent(of_class.map(|share| share.samples).sum(), split.samples)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::class_split::ClassShare;

    fn split_of(classes: &[(Option<SampleClass>, u64)]) -> ClassSplit {
        let is_work = |class: &Option<SampleClass>| class.is_none_or(SampleClass::is_work);
        let busy = classes.iter().filter(|(class, _)| is_work(class));
        ClassSplit {
            samples: classes.iter().map(|(_, samples)| samples).sum(),
            busy: busy.map(|(_, samples)| samples).sum(),
            classes: classes
                .iter()
                .map(|&(class, samples)| ClassShare {
                    class,
                    samples,
                    pct: 0.0,
                    busy_pct: 0.0,
                })
                .collect(),
        }
    }

    #[test]
    fn time_without_work_is_one_figure_each() {
        use SampleClass::{BusyWait, Erlang, Gc, Idle};
        let text = |classes: &[_]| totals_text(&split_of(classes), SAMPLES);
        assert_eq!(
            text(&[(Some(Gc), 6), (Some(Erlang), 4)]),
            "10 samples, 10 busy, idle 0.0 % of all"
        );
        assert_eq!(
            text(&[(Some(Gc), 5), (Some(Idle), 3), (Some(BusyWait), 2)]),
            "10 samples, 5 busy, busy wait 20.0 % of all, idle 30.0 % of all"
        );
        assert_eq!(
            text(&[(Some(Gc), 6), (Some(BusyWait), 4)]),
            "10 samples, 6 busy, busy wait 40.0 % of all"
        );
        assert_eq!(text(&[(None, 1)]), "1 sample");
        assert_eq!(
            totals_text(&split_of(&[(None, 10)]), "bytes"),
            "10 bytes",
            "of these no base is known but all"
        );
    }

    #[test]
    fn times_are_in_a_unit_that_suits_them() {
        let unit = "nanoseconds of blocked time";
        let figure = |ns| figure_text(ns, unit);
        assert_eq!(
            [0, 400, 400_000].map(figure),
            ["0 ms", "<0.01 ms", "0.40 ms"]
        );
        assert_eq!(
            [999_000_000, 31_204_000_000].map(figure),
            ["999.00 ms", "31.20 s"]
        );
        let split = split_of(&[
            (Some(SampleClass::Lock), 31_204_000_000),
            (Some(SampleClass::Idle), 31_204_000_000),
        ]);
        assert_eq!(
            totals_text(&split, unit),
            "62.41 s of blocked time, 31.20 s busy, idle 50.0 % of all"
        );
        assert_eq!(
            (column_text(unit), column_text("bytes")),
            ("blocked time", "bytes")
        );
        assert_eq!(figure_text(400, "bytes"), "400");
    }

    #[test]
    fn page_faults_are_counted_in_words() {
        let text = |amount| amount_text(amount, FAULTS.label);
        assert_eq!([1, 2].map(text), ["1 page fault", "2 page faults"]);
        assert_eq!(figure_text(400, FAULTS.label), "400");
        assert_eq!(column_text(FAULTS.label), "page faults");
    }

    #[test]
    fn where_nothing_is_known_to_be_work_the_base_is_all() {
        use SampleClass::{Gc, Idle};
        for (classes, base) in [
            (&[(Some(Gc), 1), (Some(Idle), 9)][..], PercentOf::Busy),
            (&[(Some(Idle), 9)], PercentOf::All),
            (&[(None, 9)], PercentOf::All),
            (&[], PercentOf::All),
        ] {
            let split = split_of(classes);
            assert_eq!(PercentOf::Busy.within(&split), base);
            assert_eq!(PercentOf::All.within(&split), PercentOf::All);
        }
    }
}
