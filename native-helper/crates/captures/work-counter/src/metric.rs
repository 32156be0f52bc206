//! Which metric is counted: `orders_total{queue="a"}`.

use std::fmt;

use crate::labels::{Label, take_labels, take_name};

const MAX_BYTES: usize = 1000;

/// A metric by its name, and by labels that have to be equal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Metric {
    pub(crate) name: String,
    pub(crate) labels: Vec<Label>,
}

/// Why a text names no metric.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MetricError {
    /// Letters, digits, `_` and `:`.
    #[error("it does not begin with the name of a metric: letters, digits, _ and :")]
    NoName,
    /// Only equality.
    #[error("what follows the name is not {{label=\"value\",...}}")]
    BadLabels,
    /// Longer than any.
    #[error("it is longer than {MAX_BYTES} bytes")]
    TooLong,
}

impl Metric {
    /// Parses `NAME` or `NAME{label="value",...}`.
    ///
    /// # Errors
    /// See [`MetricError`].
    pub fn parse(text: &str) -> Result<Self, MetricError> {
        let text = text.trim();
        if text.len() > MAX_BYTES {
            return Err(MetricError::TooLong);
        }
        let (name, rest) = take_name(text, true).ok_or(MetricError::NoName)?;
        match take_labels(rest.trim_start()) {
            Some((labels, "")) => Ok(Self {
                name: name.to_owned(),
                labels,
            }),
            _ => Err(MetricError::BadLabels),
        }
    }

    /// Its name, without labels.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether labels match the requested ones; a missing label is empty.
    pub(crate) fn fits(&self, labels: &[Label]) -> bool {
        self.labels.iter().all(|(name, wanted)| {
            let found = labels.iter().find(|(found, _)| found == name);
            found.map_or("", |(_, value)| value) == wanted
        })
    }
}

impl fmt::Display for Metric {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        f.write_str(&labels_text(&self.labels))
    }
}

/// `{a="b"}`; empty without labels.
pub(crate) fn labels_text(labels: &[Label]) -> String {
    if labels.is_empty() {
        return String::new();
    }
    let pairs: Vec<String> = labels
        .iter()
        .map(|(name, value)| format!("{name}={value:?}"))
        .collect();
    format!("{{{}}}", pairs.join(","))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_metric_is_a_name_with_labels_that_are_equal() {
        let metric = Metric::parse(" a:b_total {queue=\"x\", vhost=\"\"} ").unwrap();
        assert_eq!(metric.name(), "a:b_total");
        assert_eq!(metric.to_string(), "a:b_total{queue=\"x\",vhost=\"\"}");
        let label = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        assert!(metric.fits(&[label("other", "1"), label("queue", "x")]));
        assert!(!metric.fits(&[label("queue", "y")]));
        assert!(!metric.fits(&[label("queue", "x"), label("vhost", "/")]));
        assert!(!metric.fits(&[]));
        assert!(Metric::parse("a").unwrap().fits(&[label("queue", "y")]));
        assert_eq!(Metric::parse("1a"), Err(MetricError::NoName));
        assert_eq!(Metric::parse(""), Err(MetricError::NoName));
        assert_eq!(Metric::parse("a{b=~\"c\"}"), Err(MetricError::BadLabels));
        assert_eq!(Metric::parse("a b"), Err(MetricError::BadLabels));
        assert_eq!(Metric::parse(&"a".repeat(2000)), Err(MetricError::TooLong));
    }
}
