//! `dump --what code`: one line per range of JIT code, in ascending order of addresses.

use attach::AttachedVm;
use serde::Serialize;
use vm_code::blob::{CodeRange, ModuleCode};

use super::{Lines, hex};
use crate::failure::Failure;

#[derive(Serialize)]
struct RangeLine<'a> {
    module: &'a str,
    /// First address.
    start: String,
    /// One past the last.
    end: String,
    name: &'a str,
    /// Address, line and source file of each entry.
    lines: Vec<(String, u32, &'a str)>,
}

pub fn write(vm: &AttachedVm, lines: &mut Lines) -> Result<(), Failure> {
    for (segment, module) in vm.code.current().segments() {
        for range in &module.ranges {
            let address = |offset: u32| module.base.saturating_add(u64::from(offset));
            let is_claimed_here =
                address(range.end) > segment.start && address(range.start) < segment.end;
            if is_claimed_here && !lines.put(&line(module, range))? {
                return Ok(());
            }
        }
    }
    Ok(())
}

fn line<'a>(module: &'a ModuleCode, range: &CodeRange) -> RangeLine<'a> {
    let address = |offset: u32| hex(module.base.saturating_add(u64::from(offset)));
    let file = |index: u16| module.files.get(usize::from(index)).map_or("", |file| file);
    RangeLine {
        module: &module.name,
        start: address(range.start),
        end: address(range.end),
        name: module.range_name(range),
        lines: module
            .range_lines(range)
            .iter()
            .map(|entry| (address(entry.offset), entry.line, file(entry.file)))
            .collect(),
    }
}
