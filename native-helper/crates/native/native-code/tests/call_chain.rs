//! Unwinds the C stack of a real program (`fixtures/call_chain.c`) as a sampler captures it.

#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic)] // A test: an unmet expectation is its failure.

use std::collections::HashMap;
use std::fs::File;
use std::process::Command;
use std::sync::Arc;
use std::time::Instant;

use native_code::{
    MappedObject, NativeFrame, NativeUnwinder, ObjectImage, ObjectMap, Registers, UnwindEnd,
};

struct Capture {
    registers: Registers,
    stack_start: u64,
    stack: Vec<u8>,
    jit_rsp: u64,
    objects: ObjectMap,
}

impl Capture {
    fn read_stack(&self, address: u64) -> Option<u64> {
        let at = usize::try_from(address.checked_sub(self.stack_start)?).ok()?;
        Some(u64::from_le_bytes(*self.stack.get(at..)?.first_chunk()?))
    }

    fn name(&self, frame: NativeFrame) -> String {
        let avma = frame.lookup_avma();
        let object = self
            .objects
            .object_at(avma)
            .expect("an object is mapped there");
        let function = object.function_at(avma).expect("the function is known");
        function.name.shown(&object.name)
    }

    /// Bounds of the function that stands for JIT code.
    fn jit_range(&self) -> std::ops::Range<u64> {
        let object = self
            .objects
            .object_at(self.registers.program_counter)
            .unwrap();
        let (svma, bytes) = object.image.symbol_named("jit_entry").unwrap();
        let start = svma + object.bias;
        start..start + bytes
    }
}

/// Compiles the fixture with the options given, runs it, and parses its output.
fn capture(name: &str, options: &[&str]) -> Capture {
    let source = format!(
        "{}/tests/fixtures/call_chain.c",
        std::env::var("CARGO_MANIFEST_DIR").unwrap()
    );
    let program = std::env::current_exe().unwrap().with_file_name(name);
    let compiled = Command::new("cc")
        .args(options)
        .arg(source)
        .args(["-pthread", "-o"])
        .arg(&program)
        .status()
        .expect("these tests need a C compiler named cc, as linking Rust does");
    assert!(compiled.success());
    let output = Command::new(&program).output().unwrap();
    assert!(output.status.success());
    parse(&String::from_utf8(output.stdout).unwrap())
}

fn hexadecimal(text: &str) -> u64 {
    u64::from_str_radix(text, 16).unwrap()
}

fn parse(text: &str) -> Capture {
    let (facts, maps) = text.split_once("MAPS\n").unwrap();
    let line = |key: &str| {
        facts
            .lines()
            .find_map(|line| line.strip_prefix(key))
            .unwrap()
    };
    let words: Vec<u64> = line("REGS ").split(' ').map(hexadecimal).collect();
    let (stack_start, bytes) = line("STACK ").split_once(' ').unwrap();
    let pairs = bytes.as_bytes().chunks_exact(2);
    Capture {
        registers: Registers {
            general: words[..16].try_into().unwrap(),
            program_counter: words[16],
        },
        stack_start: hexadecimal(stack_start),
        stack: pairs
            .map(|pair| hexadecimal(str::from_utf8(pair).unwrap()) as u8)
            .collect(),
        jit_rsp: hexadecimal(line("RSP ")),
        objects: objects(maps),
    }
}

fn objects(maps: &str) -> ObjectMap {
    let mut images: HashMap<&str, Arc<ObjectImage>> = HashMap::new();
    let executable = maps
        .lines()
        .filter(|line| line.contains(" r-xp ") && line.contains(" /"));
    let mapped = executable.map(|line| {
        let words: Vec<&str> = line.split_ascii_whitespace().collect();
        let (start, end) = words[0].split_once('-').unwrap();
        // The rest of the line: a path may contain spaces.
        let path = &line[line.find('/').unwrap()..];
        let image = images
            .entry(path)
            .or_insert_with(|| Arc::new(ObjectImage::read(&File::open(path).unwrap()).unwrap()));
        let start_avma = hexadecimal(start);
        MappedObject {
            start_avma,
            end_avma: hexadecimal(end),
            bias: image
                .bias_of_mapping(start_avma, hexadecimal(words[2]), true)
                .unwrap(),
            image: image.clone(),
            name: path.rsplit('/').next().unwrap().into(),
        }
    });
    ObjectMap::new(mapped.collect())
}

fn check_crossing(capture: &Capture) {
    let jit = capture.jit_range();
    let mut registers = capture.registers;
    let mut frames = Vec::new();
    let end = NativeUnwinder::new().unwind(
        &capture.objects,
        &mut registers,
        |avma| jit.contains(&avma),
        |address| capture.read_stack(address),
        &mut frames,
    );
    let names: Vec<String> = frames.iter().map(|&frame| capture.name(frame)).collect();
    assert_eq!(end, UnwindEnd::ReachedJit, "{names:?}");
    assert_eq!(names[..3], ["leaf", "busy", "compare"], "{names:?}");
    assert_eq!(names.last().unwrap(), "realigned", "{names:?}");
    let library = &names[3..names.len() - 1];
    assert!(
        library.iter().any(|name| name.contains("qsort")),
        "{names:?}"
    );
    assert!(!frames[0].is_return_address && frames[1..].iter().all(|f| f.is_return_address));

    assert!(jit.contains(&registers.program_counter));
    assert_eq!(registers.stack_pointer(), capture.jit_rsp);
    assert_eq!(registers.general[3], 0x1111_1111_1111_1111);
    assert_eq!(registers.general[6], 0x2222_2222_2222_2222);
    assert_eq!(registers.general[12], 0x3333_3333_3333_3333);
    assert_eq!(registers.general[13], 0x4444_4444_4444_4444);
    assert_eq!(registers.general[14], 0x5555_5555_5555_5555);
    assert_eq!(registers.general[15], 0x6666_6666_6666_6666);
}

#[test]
fn every_callee_saved_register_survives_to_the_jit_frame() {
    check_crossing(&capture("call_chain_o2", &["-O2"]));
}

#[test]
fn frame_pointers_and_unoptimised_code_unwind_too() {
    check_crossing(&capture(
        "call_chain_fp",
        &["-O2", "-fno-omit-frame-pointer"],
    ));
    check_crossing(&capture("call_chain_o0", &["-O0"]));
}

#[test]
fn a_stack_that_is_cut_off_is_marked_and_keeps_its_frames() {
    let capture = capture("call_chain_cut", &["-O2"]);
    let jit = capture.jit_range();
    let (mut registers, mut frames) = (capture.registers, Vec::new());
    // `leaf` has a frame of somewhat more than 4 KB, `busy` one of 6 KB.
    let limit = capture.stack_start + 8192;
    let end = NativeUnwinder::new().unwind(
        &capture.objects,
        &mut registers,
        |avma| jit.contains(&avma),
        |address| {
            (address < limit)
                .then(|| capture.read_stack(address))
                .flatten()
        },
        &mut frames,
    );
    assert!(
        matches!(end, UnwindEnd::StackUnreadable { address } if address >= limit),
        "{end:?}"
    );
    assert_eq!(capture.name(*frames.last().unwrap()), "busy");
}

#[test]
fn code_without_rules_or_object_is_named_as_the_reason() {
    let capture = capture("call_chain_end", &["-O2"]);
    let unwind = |objects: &ObjectMap| {
        let (mut registers, mut frames) = (capture.registers, Vec::new());
        let read = |address| capture.read_stack(address);
        NativeUnwinder::new().unwind(objects, &mut registers, |_| false, read, &mut frames)
    };
    let end = unwind(&capture.objects);
    assert!(matches!(end, UnwindEnd::NoFde { pc_avma } if capture.jit_range().contains(&pc_avma)));
    let pc_avma = capture.registers.program_counter;
    assert_eq!(
        unwind(&ObjectMap::default()),
        UnwindEnd::NoObject { pc_avma }
    );
}

#[test]
fn a_stack_of_garbage_ends_the_walk() {
    let capture = capture("call_chain_garbage", &["-O2"]);
    let mut unwinder = NativeUnwinder::new();
    let mut state = 1_u64;
    for round in 0..20_000 {
        let (mut registers, mut frames) = (capture.registers, Vec::new());
        let read = |address| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            let code = capture.registers.program_counter.wrapping_add(state >> 50);
            match (state >> 40) % 4 {
                0 => Some(state),
                1 => Some(code),
                2 => Some(address + 64),
                _ => capture.read_stack(address),
            }
        };
        let _ = unwinder.unwind(
            &capture.objects,
            &mut registers,
            |_| false,
            read,
            &mut frames,
        );
        assert!(frames.len() <= 64, "round {round}");
    }
}

#[test]
fn a_warm_cache_gives_the_same_steps() {
    let capture = capture("call_chain_speed", &["-O2"]);
    let jit = capture.jit_range();
    let mut unwinder = NativeUnwinder::new();
    let mut frames = Vec::with_capacity(64);
    const ROUNDS: u32 = 20_000;
    let mut steps = 0;
    let mut start = Instant::now();
    let mut cold = Vec::new();
    for round in 0..=ROUNDS {
        if round == 1 {
            (steps, start) = (0, Instant::now());
        }
        frames.clear();
        let mut registers = capture.registers;
        let end = unwinder.unwind(
            &capture.objects,
            &mut registers,
            |avma| jit.contains(&avma),
            |address| capture.read_stack(address),
            &mut frames,
        );
        assert_eq!(end, UnwindEnd::ReachedJit);
        steps += frames.len();
        if round == 0 {
            cold.clone_from(&frames);
        }
        assert!(frames == cold, "round {round}");
    }
    let step_ns = start.elapsed().as_nanos() as f64 / steps as f64;
    // `npm run bench` judges it.
    eprintln!("measured: unwinding one C frame, optimised test build: {step_ns:.1} ns");
}
