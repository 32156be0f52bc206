//! The capture: one sample ([`sample`]), how far it can be trusted ([`quality`]), the file it is kept in
//! ([`writer`], [`file`], [`reader`]) and the queries on it ([`top`], [`blame`], [`class_split`],
//! [`hot_lines`], [`export`]), also of the user's [`own`] code alone, or in relation to the [`work`] that
//! was done during the capture.
//!
//! A capture file is a pprof `profile.proto` message, gzipped, that grows by whole gzip members.

pub mod blame;
pub mod bound;
pub mod calendar;
pub mod class_split;
pub mod classify;
pub mod counted;
mod counts;
pub mod end;
pub mod export;
pub mod facts;
pub mod faults;
#[cfg(unix)]
pub mod file;
pub mod flame_page;
pub mod groups;
mod headings;
pub mod hot_lines;
mod increment;
pub mod interval;
pub mod kernel_time;
pub mod limits;
pub mod marks;
pub mod off_cpu;
pub mod otlp;
pub mod own;
pub mod percent_of;
pub mod place;
pub mod pprof;
pub mod process_time;
pub mod processors;
pub mod quality;
pub mod reader;
pub mod rotation;
pub mod sample;
pub mod sample_types;
pub mod schedulers;
pub mod stays;
pub mod top;
pub mod tracing;
pub mod trigger;
pub mod unnamed;
pub mod visible;
pub mod wire;
pub mod work;
pub mod writer;
