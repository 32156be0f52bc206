//! Which modules the text of a file defines.
//!
//! The text is scanned, not compiled: the output of macros is not known, and a module counts as
//! defined when the names in the text can be put together to its own. The file is one that the VM
//! names for the module, so a name too many does no harm.

/// Names taken from one file.
pub(crate) const MAX_NAMES: usize = 2_000;
/// Lines that the head of an implementation may go on for.
const MAX_HEAD_LINES: usize = 12;

/// What a file has to do with a module.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Defines {
    /// It defines the module.
    Module,
    /// It defines the module as a protocol, whose functions only pick an implementation.
    Protocol,
    /// It does not define the module.
    Nothing,
}

/// The names in the text of an Elixir file, in their order.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct ElixirNames {
    names: Vec<ElixirName>,
    /// There are more.
    pub(crate) is_cut: bool,
}

#[derive(Debug, PartialEq, Eq)]
enum ElixirName {
    Module(String),
    Protocol(String),
    /// A protocol, and the types it is implemented for; empty for the module around.
    Implementation(String, Vec<String>),
}

/// Whether the text of an Erlang file defines the module; the base name of the file without its
/// extension decides where the text does not.
pub(crate) fn erlang_defines(text: &str, stem: &str, module: &str) -> bool {
    let declared = text.lines().find_map(|line| {
        let rest = line.trim_start().strip_prefix("-module")?.trim_start();
        let rest = rest.strip_prefix('(')?.trim_start();
        match rest.strip_prefix('\'') {
            Some(quoted) => quoted.split_once('\'').map(|(name, _)| name),
            None => rest.split([')', ' ', '\t']).next(),
        }
    });
    let is_plain = |name: &&str| !name.is_empty() && !name.contains(['?', '\\']);
    declared.filter(is_plain).unwrap_or(stem) == module
}

/// Whether a Gleam file is that of the module `shop@cart`, whose name contains its path.
pub(crate) fn gleam_defines(path: &str, module: &str) -> bool {
    let file = format!("{}.gleam", module.replace('@', "/"));
    path == file || path.ends_with(&format!("/{file}"))
}

impl ElixirNames {
    /// Takes the names from a text.
    pub(crate) fn of(text: &str) -> Self {
        let lines = code_lines(text);
        let mut names = Vec::new();
        for (at, line) in lines.iter().enumerate() {
            let Some((keyword, rest)) = line.split_once([' ', '(']) else {
                continue;
            };
            let name = alias(rest);
            match keyword {
                "defmodule" => names.extend(name.map(ElixirName::Module)),
                "defprotocol" => names.extend(name.map(ElixirName::Protocol)),
                "defimpl" => {
                    let head = lines[at..lines.len().min(at + MAX_HEAD_LINES)].iter();
                    let ends = head.clone().position(|line| is_end_of_head(line));
                    let head: Vec<&str> =
                        head.take(ends.map_or(1, |end| end + 1)).copied().collect();
                    let targets = targets(&head.join(" "));
                    names.extend(name.map(|name| ElixirName::Implementation(name, targets)));
                }
                _ => {}
            }
            if names.len() > MAX_NAMES {
                break;
            }
        }
        let is_cut = names.len() > MAX_NAMES;
        names.truncate(MAX_NAMES);
        Self { names, is_cut }
    }

    /// What the file has to do with a module, whose name has no `Elixir.` before it; that of a module
    /// called as in Erlang begins with a colon.
    pub(crate) fn defines(&self, module: &str) -> Defines {
        let implements = self.names.iter().any(|name| match name {
            ElixirName::Implementation(protocol, targets) => {
                self.is_implementation(module, protocol, targets)
            }
            _ => false,
        });
        match self.composed(module) {
            Defines::Nothing if implements => Defines::Module,
            composed => composed,
        }
    }

    /// Whether the file may define the module by a macro, judged by its name: it belongs to the
    /// same family as one that is in the text, or is made for one of those, or the text names none.
    pub(crate) fn may_define(&self, module: &str) -> bool {
        let family = |name: &str| name.split('.').next().map(str::to_owned);
        self.names.is_empty()
            || self.names.iter().any(|name| match name {
                ElixirName::Module(name) | ElixirName::Protocol(name) => {
                    family(name) == family(module) || is_end(module, name)
                }
                ElixirName::Implementation(..) => false,
            })
    }

    /// Puts the names together, each after the ones before it: modules within modules.
    fn composed(&self, module: &str) -> Defines {
        let mut found = Defines::Nothing;
        // How much of the module's name has been put together, in bytes.
        let mut reached = vec![0];
        for name in &self.names {
            let (name, defines) = match name {
                ElixirName::Module(name) => (name, Defines::Module),
                ElixirName::Protocol(name) => (name, Defines::Protocol),
                ElixirName::Implementation(..) => continue,
            };
            for at in 0..reached.len() {
                let start = reached[at];
                let Some(end) = end_of_name(module, start, name) else {
                    continue;
                };
                if end < module.len() && !reached.contains(&end) {
                    reached.push(end);
                } else if end == module.len() && found != Defines::Module {
                    found = defines;
                }
            }
        }
        found
    }

    fn is_implementation(&self, module: &str, protocol: &str, targets: &[String]) -> bool {
        // Protocol and target may be called by aliases: the ends of their names.
        module.match_indices('.').any(|(dot, _)| {
            let (of, target) = (&module[..dot], &module[dot + 1..]);
            is_end(of, protocol)
                && match targets {
                    [] => self.composed(target) != Defines::Nothing,
                    targets => targets.iter().any(|name| {
                        is_end(target, name)
                            || (name == "__MODULE__" && self.composed(target) != Defines::Nothing)
                    }),
                }
        })
    }
}

/// Where `name` ends in `module`, when it follows there.
fn end_of_name(module: &str, start: usize, name: &str) -> Option<usize> {
    let rest = module.get(start..)?;
    let rest = match start {
        0 => rest,
        _ => rest.strip_prefix('.')?,
    };
    let after = rest.strip_prefix(name)?;
    (after.is_empty() || after.starts_with('.')).then_some(module.len() - after.len())
}

/// Whether a name is called by this alias: it, or its last parts.
fn is_end(name: &str, alias: &str) -> bool {
    let alias = alias.strip_prefix("__MODULE__.").unwrap_or(alias);
    name == alias
        || name
            .strip_suffix(alias)
            .is_some_and(|before| before.ends_with('.'))
}

/// Whether a script that `escript` runs defines the module. One that does not name its module is a
/// module with the name of its file and a number.
pub(crate) fn escript_defines(text: &str, base_name: &str, module: &str) -> bool {
    let first = text.lines().next().unwrap_or_default();
    if !first.starts_with("#!") || !first.contains("escript") {
        return false;
    }
    let is_unnamed = module
        .rsplit_once("__escript__")
        .is_some_and(|(name, _)| name == base_name.replace('.', "_"));
    is_unnamed || erlang_defines(text, "", module)
}

/// Lines without the blanks around them, without comments and without texts of several lines.
fn code_lines(text: &str) -> Vec<&str> {
    let mut ends_with = None;
    let mut lines = Vec::new();
    for line in text.lines().map(str::trim) {
        if let Some(quotes) = ends_with {
            if line.starts_with(quotes) {
                ends_with = None;
            }
            continue;
        }
        if line.starts_with('#') {
            continue;
        }
        ends_with = ["\"\"\"", "'''"]
            .into_iter()
            .find(|quotes| line.ends_with(quotes));
        lines.push(line);
    }
    lines
}

/// The name at the start of `text`; that of a module called as in Erlang with its colon.
fn alias(text: &str) -> Option<String> {
    let text = text.trim_start();
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.');
    let (colon, rest) = match text.strip_prefix(':') {
        Some(rest) => (":", rest.trim_start_matches('"')),
        None => ("", text),
    };
    let name = rest.split(|c| !is_part(c)).next().unwrap_or_default();
    let name = name.strip_prefix("Elixir.").unwrap_or(name);
    let name = match colon {
        "" => name.strip_prefix("__MODULE__.").unwrap_or(name),
        _ => name,
    };
    let is_alias = name.starts_with(char::is_uppercase) || name == "__MODULE__";
    (is_alias || (!colon.is_empty() && !name.is_empty())).then(|| format!("{colon}{name}"))
}

/// Whether the head of an implementation ends on this line.
fn is_end_of_head(line: &str) -> bool {
    line.ends_with(" do") || line == "do" || line.contains("do:")
}

/// What an implementation is for, by its head.
fn targets(head: &str) -> Vec<String> {
    let Some((_, targets)) = head.split_once("for:") else {
        return Vec::new();
    };
    let targets = targets.split(" do").next().unwrap_or_default();
    targets
        .split(['[', ']', ',', ' '])
        .filter_map(alias)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn names_are_put_together_only_at_their_ends() {
        let names = ElixirNames::of("defmodule A do\ndefmodule B.C do\ndefprotocol P do\n");
        for (module, defines) in [
            ("A", Defines::Module),
            ("A.B.C", Defines::Module),
            ("B.C", Defines::Module),
            ("A.B.C.P", Defines::Protocol),
            ("A.P", Defines::Protocol),
            ("A.B", Defines::Nothing),
            ("AB.C", Defines::Nothing),
            ("B.C.A", Defines::Nothing),
            ("", Defines::Nothing),
        ] {
            assert_eq!(names.defines(module), defines, "{module}");
        }
    }

    proptest! {
        #[test]
        fn garbage_never_panics(text: String, module: String) {
            let _ = ElixirNames::of(&text).defines(&module);
            let _ = erlang_defines(&text, "a", &module);
            let _ = gleam_defines(&text, &module);
        }

        #[test]
        fn garbage_like_source_never_panics(
            lines in proptest::collection::vec("(defmodule|defimpl|defprotocol|\"\"\"|-module)[ (:.,A-Cé\\[\\]']{0,8}(for:)?[A-C. ]{0,4}(do)?", 0..12),
            module in "[A-C.é:]{0,8}",
        ) {
            let names = ElixirNames::of(&lines.join("\n"));
            let _ = (names.defines(&module), names.may_define(&module));
        }
    }
}
