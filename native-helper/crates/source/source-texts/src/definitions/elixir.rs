//! Functions of an Elixir text: the head behind `def` and its like, and the extent of the clause.

use std::ops::Range;

use super::{Arguments, Declarations, Definition, Found, arguments, is_too_long};
use crate::elixir_modules::begins_module;
use crate::elixir_tokens;
use crate::token::{Kind, Token};

const FUNCTIONS: [&str; 5] = ["def", "defp", "defmacro", "defmacrop", "defdelegate"];
/// What the name of the function that a macro is begins with.
const MACRO: &str = "MACRO-";
/// Words that begin what changes the meaning of functions, beside attributes.
const DECLARING: [&str; 4] = ["use", "import", "require", "alias"];
/// Attributes that do not.
const REMARKS: [&str; 10] = [
    "doc",
    "moduledoc",
    "typedoc",
    "spec",
    "type",
    "typep",
    "opaque",
    "callback",
    "impl",
    "deprecated",
];

/// The definitions in a text, in its order, and its declarations; `None` when it cannot be read.
pub fn scanned(text: &str) -> Option<(Vec<Definition<'_>>, Declarations<'_>)> {
    let tokens = elixir_tokens::of(text)?;
    let mut scan = Scan::default();
    for at in 0..tokens.len() {
        scan.step(&tokens, at)?;
    }
    scan.end_clause(tokens.len());
    let found = || (scan.found(&tokens), scan.declarations(&tokens));
    scan.blocks.is_empty().then(found)
}

fn begins_declaration(tokens: &[Token<'_>], at: usize) -> bool {
    let token = &tokens[at];
    let is_first = at == 0 || tokens[at - 1].line < token.line;
    let after = tokens.get(at + 1).map_or("", |token| token.text);
    let is_attribute = token.is_sign("@") && !REMARKS.contains(&after);
    let is_word = token.kind == Kind::Word && DECLARING.contains(&token.text);
    is_first && (is_attribute || is_word)
}

/// Where a declaration ends that begins at a token: before the first token of a line that does not go on with it.
fn end_of_declaration(tokens: &[Token<'_>], start: usize) -> usize {
    let mut depth = 0_u32;
    for at in start + 1..tokens.len() {
        let (before, token) = (&tokens[at - 1], &tokens[at]);
        let closes = is_closing(token);
        let goes_on = before.kind == Kind::Sign && !is_closing(before)
            || token.kind == Kind::Sign && !token.is_sign("@")
            || token.is_word("when");
        if depth == 0 && (closes || before.line < token.line && !goes_on) {
            return at;
        }
        let opens = match token.kind {
            Kind::Sign => ["(", "[", "{", "<<"].contains(&token.text),
            _ => token.is_word("do") || token.is_word("fn"),
        };
        depth = depth.saturating_add(u32::from(opens));
        depth = depth.saturating_sub(u32::from(closes));
    }
    tokens.len()
}

fn is_closing(token: &Token<'_>) -> bool {
    match token.kind {
        Kind::Sign => [")", "]", "}", ">>"].contains(&token.text),
        _ => token.is_word("end"),
    }
}

/// A clause, while it is not known where its module ends.
#[derive(Debug)]
struct Clause {
    name: String,
    arguments: Arguments,
    line: u32,
    /// Behind its name.
    tokens: Range<usize>,
    /// Position in the modules.
    module: Option<usize>,
    /// Blocks around it.
    depth: usize,
    is_open: bool,
}

impl Clause {
    fn is_macro(&self) -> bool {
        self.name.starts_with(MACRO)
    }
}

#[derive(Debug, Default)]
struct Scan {
    /// The blocks that `do` and `fn` have opened; of a module its position.
    blocks: Vec<Option<usize>>,
    /// Lines of each.
    modules: Vec<Range<u32>>,
    clauses: Vec<Clause>,
    /// A module's `do` is still to come.
    opens_module: bool,
}

impl Scan {
    /// Takes one token; `None` where more ends than began, and where a head is too long.
    fn step(&mut self, tokens: &[Token<'_>], at: usize) -> Option<()> {
        let token = &tokens[at];
        let before = at.checked_sub(1).map(|before| &tokens[before]);
        let is_first = before.is_none_or(|before| before.line < token.line);
        if is_first && token.is_sign("@") {
            self.end_clause_here(at);
        }
        if token.kind != Kind::Word || before.is_some_and(|before| before.is_sign(".")) {
            return Some(());
        }
        match token.text {
            "do:" => self.opens_module = false,
            "do" => {
                let module = std::mem::take(&mut self.opens_module).then(|| {
                    self.modules.push(token.line..u32::MAX);
                    self.modules.len() - 1
                });
                self.blocks.push(module);
            }
            "fn" => self.blocks.push(None),
            "end" => {
                if let Some(module) = self.blocks.pop()? {
                    self.modules[module].end = token.line + 1;
                }
                let depth = self.blocks.len();
                if self.clauses.last().is_some_and(|it| depth < it.depth) {
                    self.end_clause(at);
                }
            }
            word if begins_module(word) => {
                self.end_clause_here(at);
                self.opens_module = true;
            }
            word if FUNCTIONS.contains(&word) => {
                self.end_clause_here(at);
                let clause = self.clause(tokens, at);
                let head = tokens.get(at + 2..).unwrap_or_default();
                let begins = head.first().is_some_and(|it| it.is_sign("("));
                if clause.is_none()
                    && begins
                    && arguments(head, true).is_none()
                    && is_too_long(head)
                {
                    return None;
                }
                self.clauses.extend(clause);
            }
            _ => {}
        }
        Some(())
    }

    fn clause(&self, tokens: &[Token<'_>], at: usize) -> Option<Clause> {
        let (keyword, name) = (&tokens[at], tokens.get(at + 1)?);
        if name.kind != Kind::Word || name.is_word("unquote") {
            return None;
        }
        let behind = tokens.get(at + 2);
        let arguments = match behind {
            Some(after) if after.is_sign("(") && after.start == name.end() => {
                arguments(&tokens[at + 2..], true)?
            }
            // Operators, and arguments without brackets, are left out.
            Some(after)
                if after.line == name.line
                    && !after.is_sign(",")
                    && !["do", "do:", "when"].contains(&after.text) =>
            {
                return None;
            }
            _ => Arguments::default(),
        };
        let is_macro = keyword.text.starts_with("defmacro");
        Some(Clause {
            name: match is_macro {
                true => format!("{MACRO}{}", name.text),
                false => name.text.to_owned(),
            },
            arguments: Arguments {
                // A macro has its caller as one argument more.
                count: arguments.count.checked_add(u8::from(is_macro))?,
                ..arguments
            },
            line: keyword.line,
            tokens: at + 2..tokens.len(),
            module: self.blocks.iter().rev().find_map(|block| *block),
            depth: self.blocks.len(),
            is_open: true,
        })
    }

    /// Ends the clause before `at` where what begins there is as deep as the clause.
    fn end_clause_here(&mut self, at: usize) {
        let depth = self.blocks.len();
        if self.clauses.last().is_some_and(|it| depth <= it.depth) {
            self.end_clause(at);
        }
    }

    fn end_clause(&mut self, at: usize) {
        if let Some(last) = self.clauses.last_mut().filter(|it| it.is_open) {
            last.tokens.end = at;
            last.is_open = false;
        }
    }

    /// Attributes but remarks, and what the text uses, imports, requires and gives another name; macros, too.
    fn declarations<'t>(&self, tokens: &[Token<'t>]) -> Declarations<'t> {
        let texts =
            |part: &[Token<'t>]| -> Vec<&'t str> { part.iter().map(|token| token.text).collect() };
        let mut declarations = Declarations::new();
        let mut at = 0;
        while at < tokens.len() {
            if !begins_declaration(tokens, at) {
                at += 1;
                continue;
            }
            let end = end_of_declaration(tokens, at);
            declarations.push(texts(&tokens[at..end]));
            at = end;
        }
        let macros = self.clauses.iter().filter(|it| it.is_macro());
        let of_macros = macros.map(|it| texts(tokens.get(it.tokens.clone()).unwrap_or_default()));
        declarations.extend(of_macros);
        declarations
    }

    fn found<'t>(&self, tokens: &[Token<'t>]) -> Vec<Definition<'t>> {
        let mut found = Found::default();
        let whole = 0..u32::MAX;
        for clause in &self.clauses {
            let module = clause.module.map_or(&whole, |at| &self.modules[at]);
            let Arguments {
                count, defaults, ..
            } = clause.arguments;
            let tokens = tokens.get(clause.tokens.clone()).unwrap_or_default();
            for arity in count.saturating_sub(defaults)..count {
                found.add_of_defaults(&clause.name, arity, clause.line, module, tokens);
            }
            found.add(&clause.name, count, clause.line, module, tokens);
        }
        found.definitions
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Option<Vec<(String, u8, u32)>> {
        let definitions = scanned(text)?.0.into_iter();
        Some(definitions.map(|it| (it.name, it.arity, it.line)).collect())
    }

    #[test]
    fn each_function_is_found_once_with_its_line() {
        let text = r##"defmodule Shop do
  @moduledoc """
  def not(a, b), do: "code"
  """
  @doc ~S"def neither(a)"
  def total([]), do: 0
  def total([%{price: price} | rest]), do: price + total(rest)

  defp ship(<<_::8, rest::binary>>, {a, b}, how \\ fn x, y -> x + y end) when a > b do
    Enum.map(rest, fn c -> "#{c} def fake(#{"}"}) do" <> c end)
    |> send(?", :end, end: 1)
  end

  def free?, do: @free
  def run do
    # def nothing(a)
    :"def a(b)"
  end

  defmacro taxed(x), do: x
  def unquote(:made)(a), do: a
  def a + b, do: a
end
"##;
        let expected = [
            ("total", 1, 6),
            ("ship", 2, 9),
            ("ship", 3, 9),
            ("free?", 0, 14),
            ("run", 0, 15),
            ("MACRO-taxed", 2, 20),
        ];
        let expected = expected.map(|(name, arity, line)| (name.to_owned(), arity, line));
        assert_eq!(found(text), Some(expected.to_vec()));
    }

    #[test]
    fn modules_of_one_text_are_distinguished() {
        let text = "defmodule A do\n  def f(a), do: a\nend\ndefimpl P, for: B do\n  def f(a) do\n    a\n  end\nend\n";
        let modules: Vec<_> = scanned(text)
            .unwrap()
            .0
            .into_iter()
            .map(|it| it.module)
            .collect();
        assert_eq!(modules, [1..4, 4..9]);
    }

    #[test]
    fn what_belongs_to_a_clause_ends_with_it() {
        let text = "defmodule A do\n  def f(a) do\n    if a do b else c end\n  end\n  @doc \"next\"\n  def f(a, b), do: g(a, b)\n  def f(c), do: c\nend\n";
        let words: Vec<_> = scanned(text)
            .unwrap()
            .0
            .into_iter()
            .map(|it| it.words.join(" "))
            .collect();
        assert_eq!(
            words,
            ["a do if a do b else c end end c do: c", "a b do: g a b"]
        );
    }

    #[test]
    fn what_does_not_end_is_not_read() {
        for text in [
            "def f(a) do\n",
            "end\n",
            "def f, do: \"a",
            "def f, do: \"#{a",
        ] {
            assert_eq!(found(text), None, "{text}");
        }
        assert_eq!(found("def f(a, b\n"), Some(Vec::new()));
        assert_eq!(found(&"\"#{".repeat(10_000)), None);
    }
}
