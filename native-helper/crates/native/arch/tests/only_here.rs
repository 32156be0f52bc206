//! No other crate of the helper names a register of the processor or decodes its instructions:
//! another processor is then a folder of this crate, and nothing has to be looked for elsewhere.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::path::{Path, PathBuf};

/// Crates and registers that only this crate may name, beside names that have `x86_64` in them.
const ONLY_HERE: &[&str] = &[
    "iced_x86", "rax", "rbx", "rcx", "rdx", "rsi", "rdi", "rbp", "rsp", "rip", "r8", "r9", "r10",
    "r11", "r12", "r13", "r14", "r15", "eax", "ebx", "ecx", "edx", "edi", "esi", "eflags",
];

/// The words of `source`, up to its own tests, that have to stand in this crate; with their lines.
fn misplaced(source: &str) -> Vec<(usize, String)> {
    let lines = source.lines().enumerate();
    lines
        .take_while(|(_, line)| line.trim() != "#[cfg(test)]")
        .flat_map(|(index, line)| {
            line.split(|c: char| !c.is_ascii_alphanumeric() && c != '_')
                .map(str::to_ascii_lowercase)
                .filter(|word| ONLY_HERE.contains(&word.as_str()) || word.contains("x86_64"))
                .map(move |word| (index + 1, word))
        })
        .collect()
}

/// The folder of all crates, which lie two levels below it.
fn crates() -> PathBuf {
    let crate_folder = PathBuf::from(std::env::var("CARGO_MANIFEST_DIR").unwrap());
    crate_folder.ancestors().nth(2).unwrap().to_path_buf()
}

fn crate_folders() -> Vec<PathBuf> {
    let below = |folder: PathBuf| {
        let entries = std::fs::read_dir(folder).unwrap();
        entries
            .map(|entry| entry.unwrap().path())
            .filter(|path| path.is_dir())
    };
    below(crates()).flat_map(below).collect()
}

fn sources_below(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources_below(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

#[test]
fn registers_and_instructions_are_named_in_this_crate_only() {
    let crates = crates();
    let mut sources = Vec::new();
    for folder in crate_folders() {
        if folder.join("src").is_dir() && folder.file_name() != Some("arch".as_ref()) {
            sources_below(&folder.join("src"), &mut sources);
        }
    }
    assert!(sources.len() > 100, "{} files", sources.len());
    let mut wrong = Vec::new();
    for path in sources {
        let source = std::fs::read_to_string(&path).unwrap();
        let shown = path.strip_prefix(&crates).unwrap().display();
        // A file that holds nothing but tests.
        if path.file_stem() == Some("tests".as_ref()) {
            continue;
        }
        for (line, word) in misplaced(&source) {
            wrong.push(format!("{shown}:{line}: {word}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn no_manifest_except_this_one_requires_the_decoder() {
    for folder in crate_folders() {
        let Ok(manifest) = std::fs::read_to_string(folder.join("Cargo.toml")) else {
            continue;
        };
        let is_this = folder.file_name() == Some("arch".as_ref());
        assert_eq!(
            manifest.contains("iced-x86"),
            is_this,
            "{}",
            folder.display()
        );
    }
}

#[test]
fn what_is_looked_for_is_found() {
    let source = "let sp = registers.rsp();\n// See R13.\nuse gimli::X86_64;\n#[cfg(test)]\nrbx";
    let found = misplaced(source);
    let words: Vec<(usize, &str)> = found
        .iter()
        .map(|(at, word)| (*at, word.as_str()))
        .collect();
    assert_eq!(words, [(1, "rsp"), (2, "r13"), (3, "x86_64")]);
    assert!(misplaced("let version = 13; // x86-64, rows").is_empty());
}
