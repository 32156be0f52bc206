//! The tests of recorded samples, as one program: the code that resolves them is compiled once. Tests that measure or
//! limit their process are programs of their own.
#![allow(missing_docs)]

mod attribution;
mod exiting;
mod faults;
mod golden_master;
mod moved;
mod off_cpu;
mod ports;
mod proof_assumption;
mod replaying;
mod scheduling;
mod stays;
