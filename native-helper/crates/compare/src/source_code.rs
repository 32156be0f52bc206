//! What the texts of both sides say of a function.

use crate::identity::KnownFunction;
use crate::matching::{ErlangName, form_at};
use crate::sources::{SourceFile, SourceTexts};

/// Whether the code of a function is the same on both sides; false where a text is not known.
pub fn is_same_code(base: &KnownFunction, new: &KnownFunction, texts: &SourceTexts) -> bool {
    let (Some(of_base), Some(of_new)) = (texts.base_of(base), texts.new_of(new)) else {
        return false;
    };
    if of_base.text == of_new.text {
        return true;
    }
    let before = form_of(base, of_base);
    before.is_some()
        && before == form_of(new, of_new)
        && declarations(of_base).eq(declarations(of_new))
}

/// The lines of a function; those of the one that it is written in, of a closure.
pub fn form_of(function: &KnownFunction, file: &SourceFile) -> Option<Vec<String>> {
    let name = ErlangName::parse(&function.identity.name)?;
    match name.closure() {
        None => form_at(function.head_line, name.function, file),
        Some(closure) => {
            let (parent, _) = closure.family.split_once('/')?;
            let heads = file.text.lines().take(function.head_line as usize);
            let head = heads
                .enumerate()
                .filter(|(_, line)| is_head(line, parent, file));
            let head_line = u32::try_from(head.last()?.0).ok()? + 1;
            form_at(head_line, parent, file)
        }
    }
}

/// Whether a file defines a function of that name, whatever its arity.
pub fn defines(file: &SourceFile, function: &str) -> bool {
    let mut lines = file.text.lines();
    lines.any(|line| is_head(line, function, file))
}

/// Whether lines have a name in them, as a word.
pub fn mention(lines: &[String], function: &str) -> bool {
    lines.iter().any(|line| {
        let mut found = line.match_indices(function);
        found.any(|(at, _)| {
            let is_word = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
            let after = &line[at + function.len()..];
            !is_word(line[..at].chars().next_back()) && !is_word(after.chars().next())
        })
    })
}

/// Whether the compiler is told to put functions into their callers.
pub fn asks_for_inlining(file: &SourceFile) -> bool {
    declarations(file).any(|line| line.contains("compile") && line.contains("inline"))
}

/// Lines outside of functions that change what those inside mean.
fn declarations(file: &SourceFile) -> impl Iterator<Item = &str> {
    const ERLANG: [&str; 6] = [
        "-define", "-record", "-include", "-compile", "-import", "-undef",
    ];
    const ELIXIR: [&str; 6] = ["@", "use ", "import ", "require ", "alias ", "defmacro"];
    const ELIXIR_WORDS: [&str; 5] = ["@doc", "@moduledoc", "@spec", "@type", "@typedoc"];
    let is_elixir = file.is_elixir();
    let lines = file.text.lines().map(str::trim);
    lines.filter(move |line| match is_elixir {
        true => {
            ELIXIR.iter().any(|start| line.starts_with(start))
                && !ELIXIR_WORDS.iter().any(|start| line.starts_with(start))
        }
        false => ERLANG.iter().any(|start| line.starts_with(start)),
    })
}

fn is_head(line: &str, function: &str, file: &SourceFile) -> bool {
    if !file.is_elixir() {
        let head = line.strip_prefix('\'').unwrap_or(line);
        let rest = head.strip_prefix(function);
        return rest.is_some_and(|rest| {
            let rest = rest.strip_prefix('\'').unwrap_or(rest);
            rest.trim_start().starts_with('(')
        });
    }
    let mut words = line.trim_start().splitn(2, ' ');
    let is_definition = words.next().is_some_and(|word| word.starts_with("def"));
    let named = words
        .next()
        .and_then(|rest| rest.trim_start().strip_prefix(function));
    let is_part = |c: char| c.is_alphanumeric() || "_?!".contains(c);
    is_definition && named.is_some_and(|rest| !rest.starts_with(is_part))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(path: &str, text: &str) -> SourceFile {
        SourceFile {
            path: path.into(),
            text: text.into(),
        }
    }

    #[test]
    fn a_definition_is_one_and_a_call_is_none() {
        let erlang = file("a.erl", "f(X) -> g(X).\n'odd name'() -> ok.\n");
        assert!(defines(&erlang, "f") && defines(&erlang, "odd name"));
        assert!(!defines(&erlang, "g") && !defines(&erlang, "odd"));
        let elixir = file("a.ex", "defmodule A do\n  defp f(x), do: g(x)\nend\n");
        assert!(defines(&elixir, "f") && !defines(&elixir, "g"));
    }

    #[test]
    fn words_are_whole_words() {
        let lines = ["total(sub_total(X))".to_owned()];
        assert!(mention(&lines, "total") && mention(&lines, "sub_total"));
        assert!(!mention(&lines, "sub") && !mention(&lines, "tota"));
    }

    #[test]
    fn a_macro_is_code_and_a_type_is_none() {
        let lines = |text: &str| declarations(&file("a.erl", text)).count();
        assert_eq!(lines("-define(A, 1).\n-spec f() -> ok.\nf() -> ok.\n"), 1);
        assert!(asks_for_inlining(&file(
            "a.erl",
            "-compile({inline, [f/1]}).\n"
        )));
        assert!(asks_for_inlining(&file(
            "a.ex",
            "  @compile {:inline, f: 1}\n"
        )));
    }
}
