//! Commands of the helper beside processes that are called like an emulator and mean harm: they show
//! more than any machine has room for, or never answer. The command has to end, in little memory, with
//! a row for each that reports what happened.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)] // A test: an unmet expectation is its failure.

mod hostile;

use std::path::{Path, PathBuf};

use crafted_elf::{CraftedElf, PT_LOAD, SECTIONS_READ, add_untouched_segments};
use hostile::process::{Running, TestFolder, list, look};
use hostile::silent_files::SilentFiles;

/// What `list` may take, all threads and stacks included.
const LIST_BYTES: u64 = 2 << 30;
/// How much there is here of each part of an object that is read.
const PART_BYTES: usize = 20 << 20;

/// An object of many megabytes whose parts are each in order: a file of holes behind its headers.
fn large_object(path: &Path) {
    let mut elf = CraftedElf::default();
    elf.segment(PT_LOAD, 0, 0x1000);
    for section in SECTIONS_READ {
        elf.section(section, Vec::new(), PART_BYTES);
    }
    elf.finish().write_to(path).unwrap();
}

/// See `test/nightly.mjs`.
fn is_night() -> bool {
    std::env::var_os("EXTROSPECT_NIGHTLY").is_some()
}

#[test]
fn mapped_files_that_are_too_much_together_do_not_use_up_memory() {
    let folder = TestFolder::new("files");
    let objects: Vec<PathBuf> = (0..48)
        .map(|index| {
            let path = folder.path(&format!("{index}.so"));
            large_object(&path);
            path
        })
        .collect();
    let target = folder.start(&objects);
    assert!(!list(LIST_BYTES, target.pid()).is_empty());
    // A busy machine may not read as far as the limit in the time that a target gets.
    if !is_night() {
        return;
    }
    let reason = look(LIST_BYTES, target.pid());
    assert!(reason.contains("is too large to read"), "{reason}");
    assert!(reason.contains("512 MiB"), "{reason}");
}

/// The kernel does not start such a program, so it is mapped by one that it does start.
#[test]
fn program_headers_that_repeat_do_not_use_up_memory() {
    let folder = TestFolder::new("headers");
    let object = folder.path("headers.so");
    let mut bytes = std::fs::read(folder.program()).unwrap();
    // Twelve gigabytes of variables that no code touches.
    add_untouched_segments(&mut bytes, 200, 60 << 20);
    std::fs::write(&object, &bytes).unwrap();
    let target = folder.start(&[object]);
    let reason = list(LIST_BYTES, target.pid());
    assert!(!reason.is_empty(), "it is no Erlang VM");
}

#[test]
fn a_file_that_never_answers_does_not_keep_list_waiting() {
    let folder = TestFolder::new("silent");
    // Only root may mount.
    let Some(files) = SilentFiles::mount(&folder.path("mounted")) else {
        eprintln!("not tested: no file system can be mounted here");
        return;
    };
    let target = folder.start(&[files.file()]);
    files.fall_silent();
    let reason = list(LIST_BYTES, target.pid());
    assert!(!reason.is_empty());
    assert!(files.was_asked_in_vain(), "nobody has opened the file");
}

/// A request of an editor, framed.
fn framed(message: &str) -> String {
    format!("Content-Length: {}\r\n\r\n{message}", message.len())
}

/// The complete input of an editor that attaches to `pid`.
fn attaching_editor(pid: u32) -> String {
    let attach = format!(
        r#"{{"jsonrpc":"2.0","id":2,"method":"extrospect/attach","params":{{"pid":{pid}}}}}"#
    );
    let version = protocol::PROTOCOL_VERSION;
    let initialize = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"initialize","params":{{"initializationOptions":{{"protocolVersion":{version}}}}}}}"#
    );
    [
        &*initialize,
        r#"{"jsonrpc":"2.0","method":"initialized","params":{}}"#,
        &attach,
    ]
    .map(framed)
    .concat()
}

#[test]
fn a_file_that_never_answers_does_not_delay_attaching() {
    let folder = TestFolder::new("attach-silent");
    let Some(files) = SilentFiles::mount(&folder.path("mounted")) else {
        eprintln!("not tested: no file system can be mounted here");
        return;
    };
    let target = folder.start(&[files.file()]);
    files.fall_silent();
    let pid = target.pid().to_string();
    let capture = folder.path("capture.pb.gz");
    let capture = capture.to_str().unwrap();
    let commands: [&[&str]; 6] = [
        &["record", &pid, "-d", "1", "-o", capture],
        &["pstack", &pid],
        &["nodes", &pid],
        &["top", &pid, "-d", "1"],
        &["doctor", &pid],
        &["events", &pid],
    ];
    let running = commands.map(|command| (command[0], Running::start(command, b"")));
    let editor = attaching_editor(target.pid());
    let serve = Running::start(&["serve", "--stdio"], editor.as_bytes());
    for (command, running) in running {
        let ended = running.end();
        let ended = ended.unwrap_or_else(|| panic!("{command} does not end"));
        assert_eq!(ended.code, Some(1), "{command}: {}", ended.errors);
        let printed = ended.output + &ended.errors;
        assert!(
            printed.contains("could not be read within"),
            "{command}: {printed}"
        );
        assert!(
            printed.contains(&format!("/proc/{pid}/maps")),
            "{command}: {printed}"
        );
    }
    serve
        .printed("toMakeFilesAnswer")
        .expect("an answer to the editor");
    let ended = serve.end().expect("serve ends with its editor");
    assert!(ended.output.contains("noAnswer"), "{}", ended.output);
    assert!(files.was_asked_in_vain(), "nobody has opened the file");
}
