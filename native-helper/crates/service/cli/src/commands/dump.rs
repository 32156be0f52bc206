//! `dump`: the data read from a VM, as it is read, for other tools to check. Diagnostic: the
//! members may change with any release.
//!
//! One JSON object per line. The first announces the lines that follow, and the last reports how it
//! ended:
//! `{"what":"atoms","pid":1,"otp":"27","erts":"15.2"}` … `{"end":true,"lines":2,"cut":false}`.
//! Addresses and words are text (`"0x7f…"`): JSON numbers of many readers end at 2^53.

mod anchors;
mod code;
mod processes;
mod queues;
mod stacks;

use std::io::{BufWriter, StdoutLock, Write};

use attach::AttachedVm;
use serde::Serialize;

use crate::arguments::{Dump, DumpFormat, DumpPart};
use crate::attaching::attach_and_only_print;
use crate::failure::{Exit, Failure};

/// Atoms read at once; a full table is some 10 MB.
const MAX_ATOMS: usize = 1 << 24;

#[derive(Serialize)]
struct Head<'a> {
    what: &'a str,
    pid: u32,
    otp: &'a str,
    erts: &'a str,
}

#[derive(Serialize)]
struct End {
    end: bool,
    lines: usize,
    /// There was more than the limit.
    cut: bool,
}

#[derive(Serialize)]
struct Atom<'a> {
    index: usize,
    name: &'a str,
}

/// Runs `dump`.
pub fn run(arguments: &Dump) -> Result<(), Failure> {
    let DumpFormat::Json = arguments.format;
    let mut vm = attach_and_only_print(arguments.pid)?;
    let mut lines = Lines {
        out: BufWriter::new(std::io::stdout().lock()),
        written: 0,
        limit: arguments.limit,
        cut: false,
    };
    lines.put_unlimited(&Head {
        what: match arguments.what {
            DumpPart::Code => "code",
            DumpPart::Atoms => "atoms",
            DumpPart::Processes => "processes",
            DumpPart::Stacks => "stacks",
            DumpPart::Queues => "queues",
            DumpPart::Anchors => "anchors",
        },
        pid: arguments.pid,
        otp: &vm.version.otp_release,
        erts: &vm.version.erts_version,
    })?;
    match arguments.what {
        DumpPart::Code => code::write(&vm, &mut lines)?,
        DumpPart::Atoms => atoms(&vm, &mut lines)?,
        DumpPart::Processes => processes::write(&mut vm, &mut lines)?,
        DumpPart::Stacks => stacks::write(&vm, &mut lines)?,
        DumpPart::Queues => queues::write(&vm, &mut lines)?,
        DumpPart::Anchors => anchors::write(&vm, &mut lines)?,
    }
    let end = End {
        end: true,
        lines: lines.written,
        cut: lines.cut,
    };
    lines.put_unlimited(&end)?;
    Ok(lines.out.flush()?)
}

fn atoms(vm: &AttachedVm, lines: &mut Lines) -> Result<(), Failure> {
    let wanted = lines.limit.saturating_add(1).min(MAX_ATOMS);
    let names = vm
        .atoms
        .read_first(&vm.memory, u32::try_from(wanted).unwrap_or(u32::MAX))
        .map_err(|error| unreadable("atoms", &error))?;
    for (index, name) in names.iter().enumerate() {
        if !lines.put(&Atom { index, name })? {
            break;
        }
    }
    Ok(())
}

/// A table that could be read while attaching and now cannot.
fn unreadable(table: &str, error: &dyn std::fmt::Display) -> Failure {
    let what = format!("the {table} cannot be read");
    Failure::new(Exit::Other, what, error.to_string(), "try again")
}

/// An address or a word, as text.
fn hex(word: u64) -> String {
    format!("{word:#x}")
}

/// The output: written as it is made, within the requested length.
struct Lines {
    out: BufWriter<StdoutLock<'static>>,
    written: usize,
    limit: usize,
    cut: bool,
}

impl Lines {
    /// Writes a line; false when the limit was reached and it was not written.
    fn put(&mut self, value: &impl Serialize) -> Result<bool, Failure> {
        if self.written == self.limit {
            self.cut = true;
            return Ok(false);
        }
        self.put_unlimited(value)?;
        self.written += 1;
        Ok(true)
    }

    fn put_unlimited(&mut self, value: &impl Serialize) -> Result<(), Failure> {
        serde_json::to_writer(&mut self.out, value).map_err(std::io::Error::from)?;
        Ok(self.out.write_all(b"\n")?)
    }
}
