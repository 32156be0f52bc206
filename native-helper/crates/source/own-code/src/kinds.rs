//! Which files are sources.

use shared_map::HashSet;
use source_texts::is_ignored;

/// Files that define modules.
const SOURCES: &[&str] = &["erl", "yrl", "xrl", "ex", "exs", "lfe", "gleam", "escript"];
/// Files whose lines can be part of a module that another file defines. Generators and templates have other ones, which
/// a capture names.
const INCLUDED: &[&str] = &["hrl", "eex", "heex", "leex"];
/// Files of NIFs and drivers.
const NATIVE: &[&str] = &["c", "cc", "cpp", "cxx", "h", "hh", "hpp", "hxx", "rs"];
/// Files whose text shows which modules they define.
const READ_FOR_MODULES: &[&str] = &["erl", "yrl", "xrl", "ex", "exs", "escript", ""];
/// The file at the top of a project whose tool makes a folder, and that folder.
pub(crate) const MADE_BY: [(&str, &str); 2] = [("gleam.toml", "build"), ("Cargo.toml", "target")];

/// Whether a file of this name can be one that own code is from. Scripts have any ending or none.
pub(crate) fn can_be_source(name: &str) -> bool {
    is_of(&[SOURCES, INCLUDED, NATIVE], name) || !name.contains('.')
}

/// Whether a file by its name is one that code is compiled from.
pub(crate) fn is_compiled(path: &str) -> bool {
    is_of(&[SOURCES, NATIVE], path)
}

/// Whether a file of this name can define a module of Erlang, Elixir or another language of the VM.
pub(crate) fn defines_modules(path: &str) -> bool {
    is_of(&[SOURCES], path)
}

/// Whether the text of the file is read to find its modules.
pub(crate) fn has_modules_in_text(path: &str) -> bool {
    is_of(&[READ_FOR_MODULES], path)
}

/// Whether a path below a folder is one that a walk of it would come upon; `all` are the paths there.
pub(crate) fn is_reached(path: &str, all: &HashSet<&str>, depth: usize) -> bool {
    let folders = path.rsplit_once('/').map_or("", |(folders, _)| folders);
    let mut before = String::new();
    for (level, folder) in folders
        .split('/')
        .filter(|part| !part.is_empty())
        .enumerate()
    {
        let is_made = MADE_BY.iter().any(|(mark, made)| {
            folder == *made && all.contains(format!("{before}{mark}").as_str())
        });
        if level >= depth || is_ignored(folder) || is_made {
            return false;
        }
        before.push_str(folder);
        before.push('/');
    }
    true
}

/// Whether a file is of one of these kinds, by the part after the last dot of its name.
fn is_of(kinds: &[&[&str]], path: &str) -> bool {
    let extension = extension(path);
    kinds.iter().any(|kind| kind.contains(&extension))
}

/// What follows the last dot of a file name.
pub(crate) fn extension(path: &str) -> &str {
    let name = path.rsplit_once('/').map_or(path, |(_, name)| name);
    name.rsplit_once('.').map_or("", |(_, extension)| extension)
}
