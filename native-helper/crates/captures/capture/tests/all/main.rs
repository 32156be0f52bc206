//! The tests of captures, as one program: linking one for each file takes longer than running them. `hour.rs` is another
//! one, since it measures the memory of its process.
#![allow(missing_docs)]

mod decoded;
mod facts;
mod file;
mod flight;
mod forms;
mod groups_file;
mod hostile;
mod limits;
mod limits_file;
mod node_readings;
mod own;
mod questions;
mod rotation;
mod roundtrip;
mod sample_types;
mod sample_types_file;
mod size;
mod stays;
mod synthetic;
mod unnamed;
mod waiting;
