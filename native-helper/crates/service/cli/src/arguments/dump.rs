//! Arguments of `dump`.

use clap::{Args, ValueEnum};

use super::pid;

/// `dump`.
#[derive(Debug, Args)]
pub struct Dump {
    /// Process id of the VM.
    #[arg(value_parser = pid)]
    pub pid: u32,
    /// The part of the data to write.
    #[arg(long, value_enum)]
    pub what: DumpPart,
    /// Format: one JSON object per line.
    #[arg(long, value_enum, default_value_t = DumpFormat::Json)]
    pub format: DumpFormat,
    /// Lines to write at most, the first and the last apart.
    #[arg(long, default_value_t = 1_000_000)]
    pub limit: usize,
}

/// Parts of the data read from a VM.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum DumpPart {
    /// Named ranges of JIT code with their lines.
    Code,
    /// Names of atoms in the order of their index.
    Atoms,
    /// The process table.
    Processes,
    /// The Erlang stacks of processes that do not run, word by word, and the frames found.
    Stacks,
    /// How many processes and ports wait to be run.
    Queues,
    /// The addresses of structs by their symbols, and by their shape.
    Anchors,
}

/// Formats of `dump`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum DumpFormat {
    /// One JSON object per line.
    Json,
}
