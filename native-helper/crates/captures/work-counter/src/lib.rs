//! Counts work that the user names, so that processor time can be divided by it: 12,300 orders, each 4.1 ms.
//!
//! A [`Counter`] is a command that prints a number, or a metric of a page in the Prometheus text
//! format. [`Counting`] reads it when a capture begins and when it has ended. Both readings are made
//! without our rights (crate `unprivileged-child`), within bounds of time and bytes; the output of a command and the
//! text of a page are taken apart by parsers that believe nothing ([`number`], [`page`]).

mod command;
mod command_line;
mod counter;
mod counting;
mod error;
mod fetched_page;
mod labels;
mod metric;
mod near;
pub mod number;
pub mod page;

pub use command_line::{CommandLineError, joined, split};
pub use counter::{Counter, Source};
pub use counting::Counting;
pub use error::{CountError, Printed};
pub use metric::{Metric, MetricError};
