//! `dump --what anchors`: the addresses of structs by their symbols, and by their shape.

use attach::AttachedVm;
use serde::Serialize;

use super::{Lines, hex, unreadable};
use crate::failure::Failure;

#[derive(Serialize)]
struct Anchor {
    name: &'static str,
    by_symbol: Option<String>,
    by_scan: Vec<String>,
}

pub(super) fn write(vm: &AttachedVm, lines: &mut Lines) -> Result<(), Failure> {
    let (by_symbol, by_scan) = vm
        .allocator_anchors()
        .map_err(|error| unreadable("variables", &error))?;
    let line = Anchor {
        name: "erts_allctrs_info",
        by_symbol: by_symbol.map(hex),
        by_scan: by_scan.into_iter().map(hex).collect(),
    };
    lines.put(&line).map(drop)
}
