//! The man pages and the completions of shells, made from the command line's own definitions:
//! `cargo run -p cli --example shell_files` writes them to `packaging/`, and as a test it holds that they are
//! current. The helper itself knows nothing of them.

#[allow(dead_code, missing_docs, unused_imports)]
#[path = "../src/arguments.rs"]
mod arguments;

use std::io;
use std::path::{Path, PathBuf};

use clap::{Command, CommandFactory};
use clap_complete::{Shell, generate};
use clap_mangen::Man;

const PROGRAM: &str = "extrospect";
const SHELLS: [(Shell, &str); 3] = [
    (Shell::Bash, "extrospect.bash"),
    (Shell::Zsh, "_extrospect"),
    (Shell::Fish, "extrospect.fish"),
];

fn main() -> io::Result<()> {
    let folder = packaging();
    for name in stale_pages(&folder)? {
        std::fs::remove_file(name)?;
    }
    for (path, bytes) in shell_files()? {
        let path = folder.join(path);
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent)?;
        }
        std::fs::write(path, bytes)?;
    }
    Ok(())
}

fn packaging() -> PathBuf {
    let folder = std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default();
    Path::new(&folder).join("../../../../packaging")
}

/// Each with its path below `packaging/`.
fn shell_files() -> io::Result<Vec<(String, Vec<u8>)>> {
    let mut command = arguments::Arguments::command();
    command.build();
    let mut files = Vec::new();
    for (shell, name) in SHELLS {
        let mut bytes = Vec::new();
        generate(shell, &mut command, PROGRAM, &mut bytes);
        files.push((format!("completions/{name}"), bytes));
    }
    let subcommands = command.get_subcommands().filter(|one| is_shown(one));
    for page in subcommands.chain([&command]) {
        files.push(man_page(page)?);
    }
    Ok(files)
}

/// Hidden ones are for the helper itself, and `help` explains itself.
fn is_shown(command: &Command) -> bool {
    !command.is_hide_set() && command.get_name() != "help"
}

fn man_page(command: &Command) -> io::Result<(String, Vec<u8>)> {
    let name = match command.get_name() {
        PROGRAM => PROGRAM.to_owned(),
        name => format!("{PROGRAM}-{name}"),
    };
    let mut bytes = Vec::new();
    // The page's own name, and not that of the command, is what `man` looks for.
    Man::new(command.clone().display_name(&name).hide(false))
        .title(name.clone())
        .render(&mut bytes)?;
    Ok((format!("man/{name}.1"), bytes))
}

/// Pages of commands that no longer exist.
fn stale_pages(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let current = shell_files()?;
    let mut stale = Vec::new();
    for kind in ["man", "completions"] {
        let Ok(entries) = std::fs::read_dir(folder.join(kind)) else {
            continue;
        };
        for entry in entries {
            let entry = entry?;
            let name = format!("{kind}/{}", entry.file_name().to_string_lossy());
            if !current.iter().any(|(path, _)| *path == name) {
                stale.push(entry.path());
            }
        }
    }
    Ok(stale)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_files_in_packaging_are_current() {
        let folder = packaging();
        for (path, bytes) in shell_files().unwrap() {
            let stored = std::fs::read(folder.join(&path)).unwrap_or_default();
            assert!(
                stored == bytes,
                "{path} is not current: cargo run -p cli --example shell_files"
            );
        }
        assert_eq!(stale_pages(&folder).unwrap(), Vec::<PathBuf>::new());
    }

    #[test]
    fn every_command_has_a_page_and_a_hidden_one_has_none() {
        let files = shell_files().unwrap();
        let has = |name: &str| files.iter().any(|(path, _)| path == name);
        for page in ["extrospect", "extrospect-record", "extrospect-install"] {
            assert!(has(&format!("man/{page}.1")), "{page}");
        }
        assert!(!has("man/extrospect-look.1"));
        assert!(!has("man/extrospect-help.1"));
    }
}
