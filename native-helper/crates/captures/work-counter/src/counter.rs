//! What counts the work.

use outside_programs::WebAddress;

use crate::error::CountError;
use crate::metric::Metric;
use crate::{command, fetched_page};

/// Names longer than this are cut.
const MAX_NAME_CHARS: usize = 120;

/// A counter that only grows while the program works.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Counter {
    name: String,
    source: Source,
}

/// Where the number comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// A program and its arguments. It prints one number.
    Command(Vec<String>),
    /// A metric of a page in the Prometheus text format.
    Metric {
        /// Which.
        metric: Metric,
        /// Of which page.
        page: WebAddress,
    },
}

impl Counter {
    /// A counter, called as its user calls it, else as the metric or the program is called.
    pub fn new(name: Option<&str>, source: Source) -> Self {
        let by_source = || match &source {
            Source::Command(command) => {
                command::name_of(command.first().map_or("", String::as_str))
            }
            Source::Metric { metric, .. } => metric.to_string(),
        };
        let name = name.map(str::trim).filter(|name| !name.is_empty());
        let name = name.map_or_else(by_source, str::to_owned);
        Self {
            name: name.chars().take(MAX_NAME_CHARS).collect(),
            source,
        }
    }

    /// The name of the unit of work: `orders`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Reads it; takes some ten seconds at most. `cancelled` is called a few times a second.
    ///
    /// # Errors
    /// See [`CountError`].
    pub fn read(&self, cancelled: &(dyn Fn() -> bool + Sync)) -> Result<f64, CountError> {
        match &self.source {
            Source::Command(words) => command::read(words, cancelled),
            Source::Metric { metric, page } => fetched_page::read(metric, page, cancelled),
        }
    }
}
