//! `export`: a capture for other tools.

use std::collections::BTreeMap;
use std::io::{BufWriter, Write};
use std::path::Path;

use capture::export::firefox::write_firefox;
use capture::export::folded::{Places, write_folded};
use capture::export::html::write_html;
use capture::export::otlp::otlp_of_file;
use capture::export::perf_map::write_perf_map;
use capture::export::speedscope::write_speedscope;
use capture::otlp::keys;
use capture::reader::Capture;
use capture::writer::file_of;
use profile_store::profile::service_and_labels;

use super::open_profile::{self, Profile};
use super::source;
use crate::arguments::{Export, ExportFormat, OfPerf, PercentOf};
use crate::attaching::attach_and_only_print;
use crate::failure::{Exit, Failure};

/// Runs `export`.
pub fn run(arguments: &Export) -> Result<(), Failure> {
    if arguments.lines && arguments.format != ExportFormat::Folded {
        let what = "--lines is for --format folded";
        let why = "the other formats have lines, or no place for them";
        return Err(Failure::new(Exit::Usage, what, why, "leave it out"));
    }
    if arguments.percent_of.is_some() && arguments.format != ExportFormat::Html {
        let what = "--percent-of is for --format html";
        let why = "the other formats have all samples, and no percentages";
        return Err(Failure::new(Exit::Usage, what, why, "leave it out"));
    }
    let all_types = [ExportFormat::Pprof, ExportFormat::Otlp];
    if arguments.which.sample_type.is_some() && all_types.contains(&arguments.format) {
        let what = "--type is for formats with one type of samples";
        let why = "pprof and otlp have all that the capture has";
        return Err(Failure::new(Exit::Usage, what, why, "leave it out"));
    }
    let source = &arguments.source;
    let of_perf = &arguments.which.of_perf;
    let mut whole = Ok(());
    let mut load = || -> Result<Capture, Failure> {
        let loaded = source::load(source, &arguments.which, &arguments.sampling)?;
        whole = loaded.whole();
        let capture = loaded.capture;
        // The page has them itself.
        if arguments.format != ExportFormat::Html {
            open_profile::print_headings(&capture);
        }
        Ok(capture)
    };
    let mut out = BufWriter::new(std::io::stdout().lock());
    match arguments.format {
        ExportFormat::PerfMap => export_code_map(source, &mut out)?,
        ExportFormat::Pprof => out.write_all(&pprof(source, of_perf)?)?,
        ExportFormat::Otlp => out.write_all(&otlp(&pprof(source, of_perf)?)?)?,
        ExportFormat::Folded => {
            let places = match arguments.lines {
                true => Places::FileAndLine,
                false => Places::Without,
            };
            write_folded(&load()?, places, &mut out)?;
        }
        ExportFormat::Speedscope => write_speedscope(&load()?, source, &mut out)?,
        ExportFormat::Firefox => write_firefox(&load()?, source, &mut out)?,
        ExportFormat::Html => {
            let percent_of = arguments.percent_of.unwrap_or(PercentOf::Busy);
            write_html(&load()?, source, percent_of.into(), &mut out)?;
        }
    }
    out.flush()?;
    whole
}

/// The bytes of a capture file.
fn pprof(source: &str, of_perf: &OfPerf) -> Result<Vec<u8>, Failure> {
    if source::as_pid(source).is_some() {
        let fix = format!("extrospect record {source} -o FILE");
        let what = "a capture of a running VM is made by record";
        return Err(Failure::new(Exit::Usage, what, "", fix));
    }
    let path = Path::new(source);
    match open_profile::read(path, of_perf)? {
        Profile::Foreign(imported) => {
            open_profile::print_notes(path, &imported);
            Ok(file_of(&imported.message))
        }
        Profile::Pprof(bytes) => {
            let capture = Capture::from_bytes(&bytes)?;
            open_profile::warn_of_cut_file(path, &capture);
            open_profile::warn_of_cut_stacks(&capture);
            open_profile::print_headings(&capture);
            Ok(bytes)
        }
    }
}

/// The profile that a store receives, with all facts of each sample.
fn otlp(pprof: &[u8]) -> Result<Vec<u8>, Failure> {
    let target = Capture::from_bytes(pprof)?.target().unwrap_or_default();
    let (service, labels) = service_and_labels(&target, None, &BTreeMap::new());
    let service = (keys::SERVICE.to_owned(), service);
    let resource = std::iter::once(service).chain(labels).collect();
    Ok(otlp_of_file(pprof, resource, 0)?)
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
    let vm = attach_and_only_print(pid)?;
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
