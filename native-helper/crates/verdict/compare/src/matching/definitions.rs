//! Which functions a text defines, in their order, and the words of each.
//!
//! The text is scanned, not compiled: the result of a macro is not known. A text that the scanner
//! cannot follow to its end has no known definitions.

mod elixir;
mod erlang;
mod quoted_text;
mod token;

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;

use self::token::{Kind, Token};
use crate::sources::SourceFile;

/// No more words of a function are compared with those of another.
const MOST_WORDS: usize = 5_000;
/// Files with more modules are written by programs.
const MOST_MODULES: usize = 1_000;
/// Brackets of a head close within so many tokens.
const MOST_HEAD_TOKENS: usize = 2_000;

/// A function that a text defines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Definition<'t> {
    pub name: String,
    pub arity: u8,
    /// From 1, of its first clause.
    pub line: u32,
    /// Lines of the module it is in.
    pub module: Range<u32>,
    /// Names and values in its clauses; none of a function that the compiler makes of defaults.
    pub words: Vec<&'t str>,
}

/// The definitions in a file.
#[derive(Debug)]
pub struct Definitions<'t> {
    /// By name, in the order of the file.
    by_name: HashMap<String, Vec<Definition<'t>>>,
    /// Lines of each module.
    modules: BTreeSet<(u32, u32)>,
}

impl<'t> Definitions<'t> {
    /// `None` when the file cannot be read.
    pub fn of(file: &'t SourceFile) -> Option<Self> {
        let extension = file.path.rsplit_once('.').map(|(_, extension)| extension);
        let all = match extension? {
            "erl" | "hrl" | "yrl" | "xrl" => erlang::definitions(&file.text)?,
            "ex" | "exs" => elixir::definitions(&file.text)?,
            _ => return None,
        };
        let mut by_name: HashMap<String, Vec<Definition<'t>>> = HashMap::new();
        let mut modules = BTreeSet::new();
        for definition in all {
            modules.insert((definition.module.start, definition.module.end));
            let name = definition.name.clone();
            by_name.entry(name).or_default().push(definition);
        }
        (modules.len() <= MOST_MODULES).then_some(Self { by_name, modules })
    }

    /// Whether the file is of one module, and that has the function.
    pub fn only_module_has(&self, name: &str, arity: u8) -> bool {
        let mut all = self.by_name.get(name).into_iter().flatten();
        self.modules.len() == 1 && all.any(|it| it.arity == arity)
    }

    /// The functions of a name in the module that a line is in.
    pub fn family(&self, name: &str, line: u32) -> Vec<&Definition<'t>> {
        // Of modules within modules the one that begins last is the innermost.
        let mut around = self.modules.iter().rev();
        let module = around.find(|(start, end)| (*start..*end).contains(&line));
        let all = self.by_name.get(name).into_iter().flatten();
        all.filter(|it| module == Some(&(it.module.start, it.module.end)))
            .collect()
    }
}

/// Definitions while clauses are still found for them.
#[derive(Debug, Default)]
struct Found<'t> {
    definitions: Vec<Definition<'t>>,
    /// By module (where it begins), name and arity.
    known: HashMap<(u32, String, u8), usize>,
}

impl<'t> Found<'t> {
    /// A clause of a function, with the tokens of all of it.
    fn add(&mut self, name: &str, arity: u8, line: u32, module: &Range<u32>, clause: &[Token<'t>]) {
        let key = (module.start, name.to_owned(), arity);
        let at = *self.known.entry(key).or_insert(self.definitions.len());
        if at == self.definitions.len() {
            self.definitions.push(Definition {
                name: name.to_owned(),
                arity,
                line,
                module: module.clone(),
                words: Vec::new(),
            });
        }
        let words = &mut self.definitions[at].words;
        let room = MOST_WORDS - words.len();
        let of_clause = clause.iter().filter(|token| token.kind != Kind::Sign);
        words.extend(of_clause.map(|token| token.text).take(room));
    }
}

/// The arguments of a head.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Arguments {
    count: u8,
    /// Of those, the ones that have a default.
    defaults: u8,
}

/// Counts the arguments of a head, whose tokens begin with a bracket. `None` when it does not close.
/// In Elixir `fn` and `end` are brackets, too.
fn arguments(tokens: &[Token<'_>], is_elixir: bool) -> Option<Arguments> {
    let mut depth = 0_u32;
    let (mut commas, mut defaults) = (0_usize, 0_usize);
    let mut is_empty = true;
    for (at, token) in tokens.iter().take(MOST_HEAD_TOKENS).enumerate() {
        match (token.kind, token.text) {
            (Kind::Sign, "(" | "[" | "{" | "<<") => depth += 1,
            (Kind::Word, "fn") if is_elixir => depth += 1,
            (Kind::Word, "end") if is_elixir => depth = depth.checked_sub(1)?,
            (Kind::Sign, ")" | "]" | "}" | ">>") => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    let count = if is_empty { 0 } else { commas + 1 };
                    return Some(Arguments {
                        count: u8::try_from(count).ok()?,
                        defaults: u8::try_from(defaults).ok()?,
                    });
                }
            }
            (Kind::Sign, ",") if depth == 1 => commas += 1,
            (Kind::Sign, "\\\\") if depth == 1 => defaults += 1,
            _ => {}
        }
        is_empty &= at == 0;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(text: &str) {
        for path in ["a.erl", "a.ex"] {
            let (path, text) = (path.to_owned(), text.to_owned());
            let file = SourceFile { path, text };
            if let Some(definitions) = Definitions::of(&file) {
                let _ = definitions.family("f", 1);
            }
        }
    }

    proptest! {
        #[test]
        fn garbage_never_panics(text: String) {
            read(&text);
        }

        #[test]
        fn garbage_like_source_never_panics(
            pieces in proptest::collection::vec(
                "def |f\\(|\\)|do|end|fn|\"|'|\"\"\"|#\\{|\\}|~s|~S\\(|\\$|\\\\|\\.|<<|>>|,|\n|\\?|:|%|é|@|defmodule A",
                0..60,
            )
        ) {
            read(&pieces.join(" "));
            read(&pieces.concat());
        }
    }

    #[test]
    fn heads_without_an_end_are_given_up() {
        read(&"def f(".repeat(50_000));
        read(&"~".repeat(200_000));
        read(&"\"\"\"x".repeat(50_000));
        read(&"defmodule A do def f, do: 1\n".repeat(20_000));
    }
}
