//! Reads the emulator and the C library of this machine.

#![allow(clippy::expect_used, clippy::unwrap_used)] // A test: an unmet expectation is its failure.

use std::fs::File;
use std::path::PathBuf;
use std::time::Instant;

use native_code::cfi::CfiScratch;
use native_code::unwind_row::{CfaRule, RegisterRule};
use native_code::{FunctionName, ObjectImage};
use proptest::prelude::*;

/// The first emulator below `/usr/lib/erlang`, as Debian's `erlang-base` installs it.
fn emulator() -> PathBuf {
    let versions = std::fs::read_dir("/usr/lib/erlang")
        .expect("these tests need an Erlang VM: install the package erlang-base");
    versions
        .filter_map(|entry| Some(entry.ok()?.path().join("bin/beam.smp")))
        .find(|path| path.is_file())
        .expect("these tests need an emulator in /usr/lib/erlang/erts-*/bin")
}

fn read(path: &PathBuf) -> ObjectImage {
    ObjectImage::read(&File::open(path).unwrap()).unwrap()
}

#[test]
fn the_emulator_is_read_in_little_memory() {
    let path = emulator();
    let start = Instant::now();
    let image = read(&path);
    // `npm run bench` judges it.
    let took_ms = start.elapsed().as_secs_f64() * 1e3;
    eprintln!("measured: reading the emulator's object: {took_ms:.1} ms");
    assert!(image.omitted().is_empty(), "{:?}", image.omitted());
    assert!(image.heap_bytes() < 4 << 20);
    assert!(image.build_id().is_some_and(|id| id.as_bytes().len() == 20));
    assert!(image.unwind_table().function_count() > 4000);
}

#[test]
fn the_emulators_symbols_are_found_both_ways() {
    let image = read(&emulator());
    for name in [
        "copy_struct_x",
        "erts_garbage_collect",
        "erts_schedule",
        "db_get_hash",
    ] {
        let Some((svma, bytes)) = image.symbol_named(name) else {
            // Static functions are named only where the emulator was not stripped.
            assert_eq!(name, "db_get_hash");
            continue;
        };
        let function = image.function_at(svma + bytes / 2).unwrap();
        assert_eq!(function.name, FunctionName::Symbol(name));
        assert_eq!(
            (function.start_svma, function.end_svma),
            (svma, svma + bytes)
        );
    }
    assert!(
        image
            .symbol_named("erts_proc")
            .is_some_and(|(_, bytes)| bytes > 0)
    );
    assert!(image.symbol_named("__jit_debug_descriptor").is_some());
    assert_eq!(image.symbol_named("no_such_symbol"), None);
}

#[test]
fn a_stripped_function_gets_its_own_bounds_and_no_neighbours_name() {
    let image = read(&emulator());
    let mut unnamed = 0;
    let (start, bytes) = image.symbol_named("erts_garbage_collect").unwrap();
    let mut svma = start;
    while svma < start + bytes + 0x20000 {
        let Some(function) = image.function_at(svma) else {
            svma += 1;
            continue;
        };
        assert!(function.start_svma <= svma && svma < function.end_svma);
        if let FunctionName::Unnamed { start_svma } = function.name {
            unnamed += 1;
            let shown = function.name.shown("beam.smp");
            assert_eq!(shown, format!("beam.smp!fn@{start_svma:#x}"));
        }
        svma = function.end_svma;
    }
    assert!(unnamed > 0, "Debian's emulator has static functions there");
}

#[test]
fn every_function_of_the_emulator_has_a_row_at_its_start() {
    let image = read(&emulator());
    let mut scratch = CfiScratch::new();
    let (mut svma, end) = (image.symbol_named("erts_schedule").unwrap().0, 0x40000);
    let end = svma + end;
    let mut rows = 0;
    while svma < end {
        let Some((start, function_end)) = image.unwind_table().function_bounds(svma) else {
            svma += 1;
            continue;
        };
        let row = image.row_at(&mut scratch, start).unwrap();
        assert_eq!(
            row.cfa,
            CfaRule::Register {
                register: 7,
                offset: 8
            }
        );
        assert_eq!(row.return_address, RegisterRule::AtCfa(-8));
        for inside in (start..function_end).step_by(7) {
            image.row_at(&mut scratch, inside).unwrap();
            rows += 1;
        }
        svma = function_end;
    }
    assert!(rows > 1000);
}

#[test]
fn plt_stubs_are_named_and_unwound() {
    let image = read(&emulator());
    let mut scratch = CfiScratch::new();
    let object = std::fs::read(emulator()).unwrap();
    // Find .plt by its rule: the only place with a PLT rule.
    let stub = (0..object.len() as u64).step_by(16).find(|&svma| {
        image
            .row_at(&mut scratch, svma)
            .is_ok_and(|row| matches!(row.cfa, CfaRule::Plt { .. }))
    });
    let first = stub.expect("the emulator has a PLT");
    let names: Vec<String> = (0..64)
        .filter_map(|stub| image.function_at(first + stub * 16))
        .map(|function| function.name.shown("beam.smp"))
        .collect();
    let named = names.iter().filter(|name| name.ends_with("@plt")).count();
    assert!(named >= 60, "{names:?}");
}

#[test]
fn an_object_without_section_table_still_unwinds() {
    let mut object = std::fs::read(emulator()).unwrap();
    let whole = ObjectImage::read(object.as_slice()).unwrap();
    object[60..64].fill(0);
    let stripped = ObjectImage::read(object.as_slice()).unwrap();
    assert_eq!(
        stripped.unwind_table().function_count(),
        whole.unwind_table().function_count()
    );
    assert_eq!(stripped.build_id(), whole.build_id());
    let svma = whole.symbol_named("erts_garbage_collect").unwrap().0;
    let mut scratch = CfiScratch::new();
    assert_eq!(
        stripped.row_at(&mut scratch, svma + 20),
        whole.row_at(&mut scratch, svma + 20)
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn garbage_is_no_object(bytes in proptest::collection::vec(any::<u8>(), 0..512)) {
        let _ = ObjectImage::read(bytes.as_slice());
        let mut elf = b"\x7fELF\x02\x01\x01".to_vec();
        elf.extend(bytes);
        let _ = ObjectImage::read(elf.as_slice());
    }

    #[test]
    fn a_damaged_object_never_panics(
        damage in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..200),
        svmas in proptest::collection::vec(0_u64..0x40_0000, 20),
    ) {
        let mut object = std::fs::read("/proc/self/exe").unwrap();
        object.truncate(1 << 20);
        // Half of it into the headers, which are what everything else hangs on.
        for (count, (at, byte)) in damage.into_iter().enumerate() {
            let reach = if count % 2 == 0 { 1024 } else { object.len() };
            object[at.index(reach)] = byte;
        }
        if let Ok(image) = ObjectImage::read(object.as_slice()) {
            let mut scratch = CfiScratch::new();
            for svma in svmas {
                let _ = image.function_at(svma);
                let _ = image.row_at(&mut scratch, svma);
            }
        }
    }

    #[test]
    fn damaged_unwind_tables_never_panic(
        damage in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..400),
        svmas in proptest::collection::vec(0x66000_u64..0x2f_0000, 50),
    ) {
        let path = emulator();
        let mut object = std::fs::read(path).unwrap();
        // The unwind tables are in the last part of the read-only data.
        let (from, to) = (object.len() * 8 / 10, object.len());
        for (at, byte) in damage {
            let place = from + at.index(to - from);
            object[place] = byte;
        }
        if let Ok(image) = ObjectImage::read(object.as_slice()) {
            let mut scratch = CfiScratch::new();
            for svma in svmas {
                let _ = image.function_at(svma);
                let _ = image.row_at(&mut scratch, svma);
            }
        }
    }
}
