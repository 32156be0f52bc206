//! The evidence in the texts of both sides about a function.

use crate::identity::KnownFunction;
use crate::matching::{ErlangName, form_at, lines_at};
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

/// Whether another text has the code of a function of which it is not known where it is there.
pub fn has_same_code(function: &KnownFunction, here: &SourceFile, there: &SourceFile) -> bool {
    if here.text == there.text {
        return true;
    }
    let Some((head_line, name)) = head_of(function, here) else {
        return false;
    };
    let form = form_at(head_line, &name, here);
    let lines = there.text.lines().zip(1..);
    let mut heads = lines.filter(|(line, _)| is_head(line, &name, there));
    form.is_some()
        && heads.any(|(_, line)| form_at(line, &name, there) == form)
        && declarations(here).eq(declarations(there))
}

/// The lines of a function without its name; those of the one that it is written in, of a closure.
fn form_of(function: &KnownFunction, file: &SourceFile) -> Option<Vec<String>> {
    let (head_line, name) = head_of(function, file)?;
    form_at(head_line, &name, file)
}

/// The same with its name.
pub fn lines_of(function: &KnownFunction, file: &SourceFile) -> Option<Vec<String>> {
    let (head_line, name) = head_of(function, file)?;
    lines_at(head_line, &name, file)
}

/// Where the function begins that a function or closure is written in, and its name.
fn head_of(function: &KnownFunction, file: &SourceFile) -> Option<(u32, String)> {
    let name = ErlangName::parse(&function.identity.name)?;
    let Some(closure) = name.closure() else {
        return Some((function.head_line, name.function.to_owned()));
    };
    let (parent, _) = closure.family.split_once('/')?;
    let heads = file.text.lines().take(function.head_line as usize);
    let head = heads
        .enumerate()
        .filter(|(_, line)| is_head(line, parent, file));
    let head_line = u32::try_from(head.last()?.0).ok()? + 1;
    Some((head_line, parent.to_owned()))
}

/// Whether a file defines a function of that name, whatever its arity.
pub fn defines(file: &SourceFile, function: &str) -> bool {
    let mut lines = file.text.lines();
    lines.any(|line| is_head(line, function, file))
}

/// Whether lines have the name of a function in them, as a word. Where arguments follow it in Erlang, there have to be as
/// many as it takes: `price(N)` is no `price/3`.
pub fn mention(lines: &[String], function: ErlangName<'_>, file: &SourceFile) -> bool {
    let text = lines.join("\n");
    let name = function.function;
    let mut found = text.match_indices(name);
    found.any(|(at, _)| {
        let is_word = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
        let after = &text[at + name.len()..];
        let is_name = !is_word(text[..at].chars().next_back()) && !is_word(after.chars().next());
        // A pipe of Elixir gives an argument that is not among them.
        let arguments = match file.is_elixir() {
            true => None,
            false => arguments(after),
        };
        is_name && arguments.is_none_or(|count| Ok(count) == function.arity.parse())
    })
}

/// How many arguments the list has that a text of Erlang begins with; `None` where it begins with none, or does not end.
fn arguments(text: &str) -> Option<usize> {
    let mut chars = text.strip_prefix('(')?.chars();
    let (mut depth, mut commas, mut is_empty) = (1_usize, 0, true);
    while let Some(c) = chars.next() {
        match c {
            '%' => {
                chars.by_ref().find(|c| *c == '\n');
                continue;
            }
            c if c.is_whitespace() => continue,
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            ',' if depth == 1 => commas += 1,
            // A character, which may be any of these.
            '$' => skip_character(&mut chars),
            '"' | '\'' => skip_quoted(&mut chars, c)?,
            _ => {}
        }
        if depth == 0 {
            return Some(if is_empty { 0 } else { commas + 1 });
        }
        is_empty = false;
    }
    None
}

fn skip_character(chars: &mut std::str::Chars<'_>) {
    if chars.next() == Some('\\') {
        chars.next();
    }
}

fn skip_quoted(chars: &mut std::str::Chars<'_>, quote: char) -> Option<()> {
    loop {
        match chars.next()? {
            '\\' => {
                chars.next();
            }
            c if c == quote => return Some(()),
            _ => {}
        }
    }
}

/// Whether the file instructs the compiler to put functions into their callers.
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
        let erlang = file("a.erl", "");
        let is_named = |name: &str| mention(&lines, ErlangName::parse(name).unwrap(), &erlang);
        assert!(is_named("a:total/1") && is_named("a:sub_total/1"));
        assert!(!is_named("a:sub/1") && !is_named("a:tota/1"));
    }

    #[test]
    fn a_call_with_another_number_of_arguments_is_of_another_function() {
        let name = |arity: usize| format!("a:f/{arity}");
        let named = |line: &str, path: &str, arity: usize| {
            let name = name(arity);
            let name = ErlangName::parse(&name).unwrap();
            mention(&[line.to_owned()], name, &file(path, ""))
        };
        for (line, arity) in [
            ("f()", 0),
            ("f(X)", 1),
            ("f([A, B], {C, D})", 2),
            ("f(g(A, B), \"a, (\", 'x,', $,, $\\n)", 5),
            ("f(A, % one, two\n B)", 2),
            ("x:f(A, <<B:8, C/binary>>)", 3),
        ] {
            assert!(named(line, "a.erl", arity), "{line}");
            assert!(!named(line, "a.erl", arity + 1), "{line}");
        }
        // Without a list that ends the arity is not known, and a pipe gives one more.
        assert!(named("fun f/3, f(", "a.erl", 7));
        assert!(named("x |> f(1)", "a.ex", 2));
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
