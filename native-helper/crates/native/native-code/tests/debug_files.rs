//! Separate debug files, made as distributions make them: gcc, objcopy and strip.

#![allow(clippy::expect_used, clippy::unwrap_used)] // A test: an unmet expectation is its failure.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

use byte_budget::ByteBudget;
use native_code::debug_file::{DebugFileError, DebugProof, has_build_id};
use native_code::{NameSource, ObjectImage};

const SOURCE: &str = "
static __attribute__((noinline, noclone)) int hidden(int x) { return x * 1103515 + 12345; }
int shown(int x) { return hidden(x) + hidden(x + 1); }
";
/// The same with more code before it: another build, laid out otherwise.
const OTHER: &str = "int more(int x) { return x * x * x + 7; }
int longer_still(int x) { return more(x) % 1000 + more(x + 2); }
";

/// A folder with one library, as linked and as split.
struct Build {
    folder: PathBuf,
}

impl Build {
    fn new(source: &str, flags: &[&str]) -> Self {
        static LAST: AtomicU32 = AtomicU32::new(0);
        let number = LAST.fetch_add(1, Ordering::Relaxed);
        let folder = std::env::temp_dir().join(format!(
            "extrospect-debug-files-{}-{number}",
            std::process::id()
        ));
        std::fs::create_dir_all(&folder).unwrap();
        let build = Self { folder };
        std::fs::write(build.path("lib.c"), source).unwrap();
        let mut gcc = vec!["-g", "-O1", "-shared", "-fPIC", "-o", "lib.so", "lib.c"];
        gcc.extend(flags);
        build.run("gcc", &gcc);
        build.run("objcopy", &["--only-keep-debug", "lib.so", "lib.debug"]);
        build.run("objcopy", &["--strip-all", "lib.so", "stripped.so"]);
        build.run("objcopy", &["--add-gnu-debuglink=lib.debug", "stripped.so"]);
        build
    }

    fn run(&self, program: &str, arguments: &[&str]) {
        let output = Command::new(program)
            .args(arguments)
            .current_dir(&self.folder)
            .output()
            .expect("these tests need the packages gcc and binutils");
        assert!(
            output.status.success(),
            "{program} {arguments:?}: {output:?}"
        );
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    fn image(&self, name: &str) -> ObjectImage {
        read(&self.path(name))
    }

    fn debug_file(&self) -> File {
        File::open(self.path("lib.debug")).unwrap()
    }
}

impl Drop for Build {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

fn read(path: &Path) -> ObjectImage {
    ObjectImage::read(&File::open(path).unwrap()).unwrap()
}

fn name_at(image: &ObjectImage, svma: u64) -> (String, NameSource) {
    let function = image.function_at(svma).unwrap();
    (function.name.shown("lib"), function.source)
}

fn add(image: &mut ObjectImage, build: &Build, proof: DebugProof) -> Result<usize, DebugFileError> {
    image.add_debug_file(&build.debug_file(), proof, ByteBudget::of_no_target())
}

#[test]
fn names_come_from_the_fullest_table_there_is() {
    let build = Build::new(SOURCE, &["-Wl,--build-id"]);
    let whole = build.image("lib.so");
    let (hidden, _) = whole.symbol_named("hidden").unwrap();
    let (shown, _) = whole.symbol_named("shown").unwrap();
    assert_eq!(
        name_at(&whole, hidden + 1),
        ("hidden".into(), NameSource::Symtab)
    );
    assert_eq!(whole.debug_link(), None);

    let mut stripped = build.image("stripped.so");
    assert_eq!(
        name_at(&stripped, shown + 1),
        ("shown".into(), NameSource::Dynsym)
    );
    let unnamed = (format!("lib!fn@{hidden:#x}"), NameSource::UnwindBounds);
    assert_eq!(name_at(&stripped, hidden + 1), unnamed);
    assert_eq!(stripped.debug_link().unwrap().file_name, "lib.debug");

    assert!(add(&mut stripped, &build, DebugProof::BuildId).unwrap() >= 2);
    assert_eq!(
        name_at(&stripped, hidden + 1),
        ("hidden".into(), NameSource::DebugFile)
    );
    assert_eq!(
        name_at(&stripped, shown + 1),
        ("shown".into(), NameSource::DebugFile)
    );
    let sources: Vec<NameSource> = stripped.symbol_counts().map(|(source, _)| source).collect();
    assert_eq!(sources[0], NameSource::DebugFile);
}

#[test]
fn a_debug_link_is_followed_only_to_the_very_file() {
    for id in ["-Wl,--build-id", "-Wl,--build-id=none"] {
        let build = Build::new(SOURCE, &[id]);
        let (hidden, _) = build.image("lib.so").symbol_named("hidden").unwrap();
        let mut stripped = build.image("stripped.so");
        add(&mut stripped, &build, DebugProof::Checksum).unwrap();
        assert_eq!(name_at(&stripped, hidden).0, "hidden");

        // One byte at the very end of the file.
        let mut bytes = std::fs::read(build.path("lib.debug")).unwrap();
        *bytes.last_mut().unwrap() ^= 1;
        let mut stripped = build.image("stripped.so");
        let result = stripped.add_debug_file(
            bytes.as_slice(),
            DebugProof::Checksum,
            ByteBudget::of_no_target(),
        );
        assert!(
            matches!(result, Err(DebugFileError::OtherChecksum { .. })),
            "{result:?}"
        );
        assert_eq!(name_at(&stripped, hidden).1, NameSource::UnwindBounds);
    }
}

#[test]
fn the_debug_file_of_another_build_is_refused() {
    let build = Build::new(SOURCE, &["-Wl,--build-id"]);
    let other = Build::new(&format!("{OTHER}{SOURCE}"), &["-Wl,--build-id"]);
    for proof in [DebugProof::BuildId, DebugProof::Checksum] {
        let mut stripped = build.image("stripped.so");
        let result = add(&mut stripped, &other, proof);
        assert!(
            matches!(result, Err(DebugFileError::OtherBuildId { .. })),
            "{result:?}"
        );
    }
    let nameless = Build::new(SOURCE, &["-Wl,--build-id=none"]);
    let result = add(
        &mut nameless.image("stripped.so"),
        &build,
        DebugProof::BuildId,
    );
    assert!(
        matches!(result, Err(DebugFileError::Unrecognisable)),
        "{result:?}"
    );
    let result = add(
        &mut build.image("stripped.so"),
        &nameless,
        DebugProof::BuildId,
    );
    assert!(
        matches!(
            result,
            Err(DebugFileError::OtherBuildId { found: None, .. })
        ),
        "{result:?}"
    );
}

#[test]
fn a_build_id_set_by_hand_does_not_hide_that_the_code_is_another() {
    let id = ["-Wl,--build-id=0x0123456789abcdef"];
    let build = Build::new(SOURCE, &id);
    let other = Build::new(&format!("{OTHER}{SOURCE}"), &id);
    let result = add(&mut build.image("stripped.so"), &other, DebugProof::BuildId);
    assert!(
        matches!(result, Err(DebugFileError::OtherLayout)),
        "{result:?}"
    );
}

#[test]
fn a_file_without_symbols_is_no_debug_file() {
    let build = Build::new(SOURCE, &["-Wl,--build-id"]);
    let mut stripped = build.image("stripped.so");
    let same = File::open(build.path("stripped.so")).unwrap();
    let result = stripped.add_debug_file(&same, DebugProof::BuildId, ByteBudget::of_no_target());
    assert!(
        matches!(result, Err(DebugFileError::NoSymbols)),
        "{result:?}"
    );
    let result = stripped.add_debug_file(
        b"no ELF".as_slice(),
        DebugProof::BuildId,
        ByteBudget::of_no_target(),
    );
    assert!(
        matches!(result, Err(DebugFileError::Image(_))),
        "{result:?}"
    );
}

#[test]
fn a_file_with_another_build_id_is_not_the_requested_one() {
    let build = Build::new(SOURCE, &["-Wl,--build-id"]);
    let other = Build::new(OTHER, &["-Wl,--build-id"]);
    let without = Build::new(SOURCE, &["-Wl,--build-id=none"]);
    let id = build.image("stripped.so").build_id().unwrap().clone();
    let budget = ByteBudget::of(1 << 20);
    let check = |build: &Build| has_build_id(&build.debug_file(), &id, &budget);
    assert!(check(&build).is_ok());
    assert!(matches!(
        check(&other),
        Err(DebugFileError::OtherBuildId { found: Some(_), .. })
    ));
    assert!(matches!(
        check(&without),
        Err(DebugFileError::OtherBuildId { found: None, .. })
    ));
    for garbage in [b"".as_slice(), b"\x7fELF", b"<html>Please log in</html>"] {
        let result = has_build_id(garbage, &id, &budget);
        assert!(
            matches!(result, Err(DebugFileError::Image(_))),
            "{result:?}"
        );
    }
    // Cut off anywhere it is an error or the file, and never more than an error.
    let bytes = std::fs::read(build.path("lib.debug")).unwrap();
    for length in (0..bytes.len()).step_by(97) {
        let _ = has_build_id(&bytes[..length], &id, &budget);
    }
    assert_eq!(budget.held_bytes(), 0);
}
