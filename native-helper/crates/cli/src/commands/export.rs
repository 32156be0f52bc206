//! `export`: a capture for other tools.

use std::io::{BufWriter, Write};

use capture::export::folded::write_folded;
use capture::export::perf_map::write_perf_map;
use capture::export::speedscope::write_speedscope;

use super::source;
use crate::arguments::{Export, ExportFormat};
use crate::attaching::attach;
use crate::failure::{Exit, Failure};

/// Runs `export`.
pub fn run(arguments: &Export) -> Result<(), Failure> {
    let mut out = BufWriter::new(std::io::stdout().lock());
    match arguments.format {
        ExportFormat::PerfMap => export_code_map(&arguments.source, &mut out)?,
        ExportFormat::Folded => {
            write_folded(
                &source::load(&arguments.source, &arguments.sampling)?,
                &mut out,
            )?;
        }
        ExportFormat::Speedscope => {
            let capture = source::load(&arguments.source, &arguments.sampling)?;
            write_speedscope(&capture, &arguments.source, &mut out)?;
        }
    }
    out.flush()?;
    Ok(())
}

fn export_code_map(source: &str, out: &mut impl Write) -> Result<(), Failure> {
    let Some(pid) = source::as_pid(source) else {
        return Err(Failure::new(
            Exit::Usage,
            "a code map is of a running VM, not of a capture",
            "",
            "give its process id, see `extrospect list`",
        ));
    };
    let vm = attach(pid)?;
    let map = vm.code.current();
    let ranges = map.modules().flat_map(|module| {
        module.ranges.iter().map(|range| {
            let start = module.base + u64::from(range.start);
            (
                start,
                u64::from(range.end - range.start),
                module.range_name(range),
            )
        })
    });
    write_perf_map(ranges, out)?;
    Ok(())
}
