//! Lines and inlined functions, compared with addr2line of binutils, which shares nothing with the
//! crate that reads them here; and debug information that is false.

#![allow(clippy::expect_used, clippy::unwrap_used)] // A test: an unmet expectation is its failure.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

use byte_budget::ByteBudget;
use native_code::debug_file::DebugProof;
use native_code::{ObjectImage, SourceFrame};

const C_SOURCE: &str = "\
static inline __attribute__((always_inline)) int innermost(int x)
{
    return x * x + 7;
}

static inline __attribute__((always_inline)) int middle(int x)
{
    int sum = 0;
    for (int i = 0; i < x; i++)
        sum += innermost(i) ^ sum;
    return sum;
}

int outer(int x)
{
    int sum = middle(x);
    return sum % 3 ? sum : middle(x + 1);
}
";

const RUST_SOURCE: &str = "\
#[inline(always)]
fn innermost(x: u64) -> u64 {
    x.wrapping_mul(x).rotate_left(7)
}

#[unsafe(no_mangle)]
pub extern \"C\" fn outer(words: *const u64, count: usize) -> u64 {
    let words = unsafe { std::slice::from_raw_parts(words, count) };
    words.iter().map(|word| innermost(*word)).fold(0, |sum, word| sum ^ word)
}
";

struct Folder(PathBuf);

impl Folder {
    fn new() -> Self {
        static LAST: AtomicU32 = AtomicU32::new(0);
        let number = LAST.fetch_add(1, Ordering::Relaxed);
        let name = format!("extrospect-source-lines-{}-{number}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&folder).unwrap();
        Self(folder)
    }

    fn run(&self, program: &str, arguments: &[&str]) -> String {
        let mut command = Command::new(program);
        let output = command.args(arguments).current_dir(&self.0).output();
        let output = output.expect("these tests need gcc, binutils and rustc");
        assert!(
            output.status.success(),
            "{program} {arguments:?}: {output:?}"
        );
        String::from_utf8(output.stdout).unwrap()
    }

    fn c_library(&self, flags: &[&str]) {
        std::fs::write(self.0.join("lib.c"), C_SOURCE).unwrap();
        let mut gcc = vec!["-O2", "-shared", "-fPIC", "-Wl,--build-id", "-o", "lib.so"];
        gcc.extend(flags);
        gcc.push("lib.c");
        self.run("gcc", &gcc);
    }

    /// Name, offset and length in the file of each section of debug information.
    fn debug_sections(&self, object: &str) -> Vec<(String, usize, usize)> {
        let listed = self.run("readelf", &["-SW", object]);
        let lines = listed.lines().filter(|line| line.contains(" .debug_"));
        let place = |line: &str| {
            let fields: Vec<&str> = line.split(']').nth(1).unwrap().split_whitespace().collect();
            let number = |at: usize| usize::from_str_radix(fields[at], 16).unwrap();
            (fields[0].to_owned(), number(3), number(4))
        };
        lines.map(place).collect()
    }

    fn image(&self, name: &str) -> ObjectImage {
        let file = File::open(self.0.join(name)).unwrap();
        let mut image = ObjectImage::read(&file).unwrap();
        image.add_source_lines(&file, &ByteBudget::of_target());
        image
    }

    /// The answer of addr2line for each of the addresses: names and `FILE:LINE`, the innermost
    /// first.
    fn addr2line(&self, object: &str, addresses: &[u64]) -> Vec<Vec<(String, String)>> {
        let shown: Vec<String> = addresses.iter().map(|at| format!("{at:#x}")).collect();
        let mut arguments = vec!["-a", "-i", "-f", "-e", object];
        arguments.extend(shown.iter().map(String::as_str));
        let printed = self.run("addr2line", &arguments);
        let mut all: Vec<Vec<(String, String)>> = Vec::new();
        let mut lines = printed.lines();
        while let Some(line) = lines.next() {
            if line.starts_with("0x") {
                all.push(Vec::new());
                continue;
            }
            let place = lines.next().unwrap().split(" (").next().unwrap();
            let frame = (line.to_owned(), place.to_owned());
            all.last_mut().unwrap().push(frame);
        }
        all
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Every address of a function.
fn addresses_of(image: &ObjectImage, name: &str) -> Vec<u64> {
    let (start, bytes) = image.symbol_named(name).unwrap();
    assert!(bytes > 8, "{name} has {bytes} bytes");
    (start..start + bytes).collect()
}

/// The same name and place; the two write folders in different ways. A line in another file than the
/// function's head is not taken for one of the head's.
fn agree(frame: &SourceFrame, (name, place): &(String, String)) -> bool {
    let (file, line) = place.rsplit('/').next().unwrap().rsplit_once(':').unwrap();
    let of_head = Path::new(&frame.file).file_name().unwrap_or_default();
    let wanted = match of_head == file {
        true => line.parse().unwrap_or(0),
        false => 0,
    };
    frame.name == *name && frame.line == wanted
}

/// Holds every address of a function against the other reader; the most frames at one of them.
fn deepest_of_agreeing(folder: &Folder, object: &str, function: &str) -> usize {
    let image = folder.image(object);
    let addresses = addresses_of(&image, function);
    let all = folder.addr2line(object, &addresses);
    assert_eq!(all.len(), addresses.len());
    let mut deepest = 0;
    for (at, expected) in addresses.iter().zip(&all) {
        let frames = image.source_frames_at(*at);
        assert_eq!(
            frames.len(),
            expected.len(),
            "at {at:#x}: {frames:?}, {expected:?}"
        );
        for (frame, expected) in frames.iter().zip(expected) {
            assert!(
                agree(frame, expected),
                "at {at:#x}: {frame:?}, {expected:?}"
            );
        }
        deepest = deepest.max(frames.len());
    }
    deepest
}

#[test]
fn every_address_of_c_code_has_the_frames_that_addr2line_has() {
    for flags in [
        ["-g", "-gdwarf-5"],
        ["-g", "-gdwarf-4"],
        ["-g", "-gz=zlib"],
        ["-g", "-ffunction-sections"],
    ] {
        let folder = Folder::new();
        folder.c_library(&flags);
        assert_eq!(deepest_of_agreeing(&folder, "lib.so", "outer"), 3);
    }
}

#[test]
fn so_has_rust_code() {
    let folder = Folder::new();
    std::fs::write(folder.0.join("lib.rs"), RUST_SOURCE).unwrap();
    let rustc = [
        "-g",
        "-O",
        "--crate-type",
        "cdylib",
        "-o",
        "lib.so",
        "lib.rs",
    ];
    folder.run("rustc", &rustc);
    assert!(deepest_of_agreeing(&folder, "lib.so", "outer") >= 3);
}

#[test]
fn heads_are_where_functions_are_declared() {
    let folder = Folder::new();
    folder.c_library(&["-g"]);
    let image = folder.image("lib.so");
    let line_of = |text: &str| {
        1 + C_SOURCE
            .lines()
            .position(|line| line.contains(text))
            .unwrap()
    };
    let mut seen = 0;
    for at in addresses_of(&image, "outer") {
        for frame in image.source_frames_at(at) {
            let head = format!(" {}(int x)", frame.name);
            assert_eq!(frame.head_line as usize, line_of(&head), "{frame:?}");
            assert_eq!(Path::new(&frame.file), folder.0.join("lib.c"));
            seen += 1;
        }
    }
    assert!(seen > 0);
}

#[test]
fn a_debug_file_has_the_lines_of_what_was_stripped() {
    let folder = Folder::new();
    folder.c_library(&["-g"]);
    folder.run(
        "objcopy",
        &[
            "--only-keep-debug",
            "--compress-debug-sections",
            "lib.so",
            "lib.debug",
        ],
    );
    folder.run("objcopy", &["--strip-all", "lib.so", "stripped.so"]);
    let whole = folder.image("lib.so");
    let mut stripped = folder.image("stripped.so");
    let addresses = addresses_of(&whole, "outer");
    assert!(stripped.source_frames_at(addresses[0]).is_empty());
    let (file, budget) = (
        File::open(folder.0.join("lib.debug")).unwrap(),
        ByteBudget::of_target(),
    );
    stripped
        .add_debug_file(&file, DebugProof::BuildId, &budget)
        .unwrap();
    stripped.add_source_lines(&file, &budget);
    for at in addresses {
        let frames = stripped.source_frames_at(at);
        assert!(!frames.is_empty());
        assert_eq!(frames, whole.source_frames_at(at));
    }
}

/// Most objects of a VM are never sampled: compressed information stays so until its first use.
#[test]
fn compressed_debug_information_is_inflated_at_the_first_look() {
    let folder = Folder::new();
    folder.c_library(&["-g", "-gz=zlib"]);
    let file = File::open(folder.0.join("lib.so")).unwrap();
    let budget = ByteBudget::of_target();
    let mut image = ObjectImage::read_within(&file, &budget).unwrap();
    let address = addresses_of(&image, "outer")[0];
    let before = budget.held_bytes();
    image.add_source_lines(&file, &budget);
    let held = budget.held_bytes() - before;
    // Locations of variables are not looked at.
    let wanted = folder.debug_sections("lib.so").into_iter();
    let wanted = wanted.filter(|(name, ..)| name != ".debug_loclists");
    let whole: usize = wanted.map(|(_, _, bytes)| bytes).sum();
    let listed = folder.run("readelf", &["-SWt", "lib.so"]);
    assert!(listed.contains("ZLIB"), "{listed}");
    assert_eq!(held, whole, "{listed}");
    assert!(!image.source_frames_at(address).is_empty());
    assert!(budget.held_bytes() - before > whole);
}

#[test]
fn damage_that_shows_only_when_it_is_inflated_is_survived() {
    let folder = Folder::new();
    folder.c_library(&["-g", "-gz=zlib"]);
    let mut spoiled = std::fs::read(folder.0.join("lib.so")).unwrap();
    let address = addresses_of(&folder.image("lib.so"), "outer")[0];
    for (_, offset, bytes) in folder.debug_sections("lib.so") {
        // Behind the header of a compressed section.
        spoiled[offset + bytes.min(25)..offset + bytes].fill(0xff);
    }
    let mut image = ObjectImage::read(spoiled.as_slice()).unwrap();
    let budget = ByteBudget::of_target();
    image.add_source_lines(spoiled.as_slice(), &budget);
    assert!(image.source_frames_at(address).is_empty());
    assert!(image.source_frames_at(address).is_empty());
    assert_eq!(budget.held_bytes(), 0);
}

#[test]
fn lines_of_an_included_file_are_not_taken_for_lines_of_the_head() {
    let folder = Folder::new();
    std::fs::write(
        folder.0.join("body.inc"),
        "\n\n\n\n\nfor (int i = 0; i < x; i++)\n sum = sum * 31 + i % (sum | 1);\n",
    )
    .unwrap();
    let source = "int spread(int x)\n{\nint sum = 1;\n#include \"body.inc\"\nreturn sum;\n}\n";
    std::fs::write(folder.0.join("lib.c"), source).unwrap();
    folder.run(
        "gcc",
        &["-g", "-O1", "-shared", "-fPIC", "-o", "lib.so", "lib.c"],
    );
    let image = folder.image("lib.so");
    let frames: Vec<SourceFrame> = addresses_of(&image, "spread")
        .into_iter()
        .flat_map(|at| image.source_frames_at(at))
        .collect();
    assert!(
        frames
            .iter()
            .all(|frame| frame.file.ends_with("lib.c") && frame.line <= 6)
    );
    assert!(frames.iter().any(|frame| frame.line == 0), "{frames:?}");
}

/// Each byte of the debug information, one after the other, to two other values: nothing panics,
/// nothing takes for ever, and the texts stay short.
#[test]
fn spoiled_debug_information_is_survived() {
    let folder = Folder::new();
    folder.c_library(&["-g"]);
    let whole = std::fs::read(folder.0.join("lib.so")).unwrap();
    let addresses = addresses_of(&folder.image("lib.so"), "outer");
    let mut tried = 0;
    for (_, offset, bytes) in folder.debug_sections("lib.so") {
        for at in offset..offset + bytes {
            for value in [0xff, whole[at].wrapping_add(1)] {
                let mut spoiled = whole.clone();
                spoiled[at] = value;
                let mut image = ObjectImage::read(spoiled.as_slice()).unwrap();
                let budget = ByteBudget::of(64 << 20);
                image.add_source_lines(spoiled.as_slice(), &budget);
                for at in addresses.iter().step_by(7) {
                    assert!(image.source_frames_at(*at).len() <= 64);
                }
                assert!(budget.held_bytes() <= 64 << 20);
                tried += 1;
            }
        }
    }
    assert!(tried > 1000, "{tried}");
}
