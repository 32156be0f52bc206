//! Which functions a text defines, in their order, with the code of each, and the declarations that code depends on.
//!
//! The text is scanned, not compiled: the result of a macro is not known. A text that the scanner
//! cannot follow to its end has no known definitions.

mod elixir;
mod erlang;

use std::collections::BTreeSet;
use std::ops::Range;

use shared_map::HashMap;

use crate::token::{Kind, Token};

/// No more words of a function are compared with those of another.
pub const MOST_WORDS: usize = 5_000;
/// Files with more modules are written by programs.
pub const MOST_MODULES: usize = 1_000;
/// Brackets of a head close within so many tokens.
const MOST_HEAD_TOKENS: usize = 2_000;

/// A function that a text defines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Definition<'t> {
    /// As the compiler names it: Elixir's macros begin with `MACRO-`.
    pub name: String,
    /// As the compiler counts it.
    pub arity: u8,
    /// From 1, of its first clause.
    pub line: u32,
    /// Lines of the module it is in.
    pub module: Range<u32>,
    /// Names and values in its clauses; none of a function that the compiler makes of defaults.
    pub words: Vec<&'t str>,
    /// Names and values behind these.
    pub words_left_out: usize,
    /// All of its clauses, without comments, layout, and its name before the first.
    pub tokens: Vec<Token<'t>>,
}

/// What a text declares outside of functions that changes what those inside mean, each as its tokens.
type Declarations<'t> = Vec<Vec<&'t str>>;

/// The definitions in a file.
#[derive(Debug)]
pub struct Definitions<'t> {
    /// By name, in the order of the file.
    by_name: HashMap<String, Vec<Definition<'t>>>,
    /// Lines of each module.
    modules: BTreeSet<(u32, u32)>,
    declarations: Declarations<'t>,
    is_elixir: bool,
}

/// Why the definitions in a file are not known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unread {
    /// It is of another language.
    Language,
    /// Something in it does not end, or not within the limits.
    Endless,
    /// It has so many modules.
    Modules(usize),
}

impl<'t> Definitions<'t> {
    /// Scans the text of a file; the end of its path decides on the language.
    ///
    /// # Errors
    /// See [`Unread`].
    pub fn of(path: &str, text: &'t str) -> Result<Self, Unread> {
        let extension = path.rsplit_once('.').map(|(_, extension)| extension);
        let is_elixir = matches!(extension, Some("ex" | "exs"));
        let scanned = match extension {
            Some("erl" | "hrl" | "yrl" | "xrl") => erlang::scanned(text),
            _ if is_elixir => elixir::scanned(text),
            _ => return Err(Unread::Language),
        };
        let (all, declarations) = scanned.ok_or(Unread::Endless)?;
        let mut by_name: HashMap<String, Vec<Definition<'t>>> = HashMap::new();
        let mut modules = BTreeSet::new();
        for definition in all {
            modules.insert((definition.module.start, definition.module.end));
            let name = definition.name.clone();
            by_name.entry(name).or_default().push(definition);
        }
        match modules.len() {
            0..=MOST_MODULES => Ok(Self {
                by_name,
                modules,
                declarations,
                is_elixir,
            }),
            many => Err(Unread::Modules(many)),
        }
    }

    /// Whether it defines a function of that name, whatever its arity.
    pub fn has(&self, name: &str) -> bool {
        self.by_name.contains_key(name)
    }

    /// The function of this name and arity in the module that a line is in.
    pub fn get(&self, name: &str, arity: u8, line: u32) -> Option<&Definition<'t>> {
        let mut family = self.family(name, line).into_iter();
        family.find(|it| it.arity == arity)
    }

    /// Whether any module in it has the code of this function under the same name and arity.
    pub fn has_code_of(&self, function: &Definition<'_>) -> bool {
        let mut all = self.by_name.get(&function.name).into_iter().flatten();
        all.any(|it| it.arity == function.arity && it.is_same_code(function))
    }

    /// Whether what functions mean is declared as in another text.
    pub fn declares_as(&self, other: &Definitions<'_>) -> bool {
        self.declarations == other.declarations
    }

    /// Whether it includes a header with the name of one of these files.
    pub fn includes_any(&self, headers: &[String]) -> bool {
        let name_of = |path: &str| path.rsplit('/').next().unwrap_or_default().to_owned();
        let names: Vec<String> = headers.iter().map(|path| name_of(path)).collect();
        let mut all = self.declarations.iter().flatten();
        !names.is_empty() && all.any(|token| names.contains(&name_of(token.trim_matches('"'))))
    }

    /// Whether it uses, imports or requires a module of Elixir whose last name is one of these, also by a name of its own
    /// for it.
    pub fn uses_any(&self, modules: &[String]) -> bool {
        let is_one = |token: &&str| modules.iter().any(|name| name == token);
        let all = || self.declarations.iter();
        let begins = |declaration: &[&str], words: &[&str]| {
            let first = declaration.first();
            first.is_some_and(|first| words.contains(first))
        };
        let aliases = all().filter(|it| begins(it, &["alias"]) && it.iter().any(is_one));
        let own_names: Vec<&str> = aliases
            .filter_map(|it| {
                let key = it.iter().position(|token| *token == "as:")?;
                it.get(key + 1).copied()
            })
            .collect();
        let is_used = |token: &&str| is_one(token) || own_names.contains(token);
        let mut used = all().filter(|it| begins(it, &["use", "import", "require"]));
        used.any(|it| it.iter().any(is_used))
    }

    /// Whether the text instructs the compiler to put functions into their callers.
    pub fn asks_for_inlining(&self) -> bool {
        let mut all = self.declarations.iter();
        all.any(|declaration| {
            let has = |word: &str| {
                declaration
                    .iter()
                    .any(|it| it.trim_start_matches(':') == word)
            };
            has("compile") && has("inline")
        })
    }

    /// Whether a function of this text has a name in its code. Where arguments follow it in Erlang, there have to be as
    /// many as `arity`: `price(N)` is no `price/3`. A pipe of Elixir gives an argument that is not among them.
    pub fn mentions(&self, function: &Definition<'_>, name: &str, arity: Option<u8>) -> bool {
        let tokens = function.tokens.as_slice();
        (0..tokens.len()).any(|at| {
            let is_name =
                matches!(tokens[at].kind, Kind::Word | Kind::Quoted) && tokens[at].text == name;
            let after = &tokens[at + 1..];
            let has_arguments = !self.is_elixir && after.first().is_some_and(|it| it.is_sign("("));
            let given = || arguments(after, false).map(|it| it.count);
            is_name && (!has_arguments || given().is_none_or(|count| Some(count) == arity))
        })
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

impl Definition<'_> {
    /// Whether another has the same code, whatever both are called.
    pub fn is_same_code(&self, other: &Definition<'_>) -> bool {
        let (code, of_other) = (self.code(), other.code());
        code.eq(of_other)
    }

    /// Its lines of code, without what a change of its name or layout changes.
    pub fn lines(&self) -> Vec<String> {
        let mut lines = Vec::new();
        let mut last = None;
        for (token, (_, text)) in self.tokens.iter().zip(self.code()) {
            if last.replace(token.line) != Some(token.line) {
                lines.push(String::new());
            }
            if let Some(line) = lines.last_mut() {
                line.push_str(text);
                line.push(' ');
            }
        }
        lines
    }

    fn code(&self) -> impl Iterator<Item = (Kind, &str)> {
        let tokens = self.tokens.iter();
        tokens.map(|token| match token.text == self.name {
            true => (token.kind, ""),
            false => (token.kind, token.text),
        })
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
        let definition = self.of(name, arity, line, module);
        definition.tokens.extend_from_slice(clause);
        let room = MOST_WORDS - definition.words.len();
        let of_clause = clause.iter().filter(|token| token.kind != Kind::Sign);
        let mut words = of_clause.map(|token| token.text);
        definition.words.extend(words.by_ref().take(room));
        definition.words_left_out += words.count();
    }

    /// A function that the compiler makes of a clause whose last arguments have defaults: it has no words of its own.
    fn add_of_defaults(
        &mut self,
        name: &str,
        arity: u8,
        line: u32,
        module: &Range<u32>,
        clause: &[Token<'t>],
    ) {
        let definition = self.of(name, arity, line, module);
        definition.tokens.extend_from_slice(clause);
    }

    fn of(&mut self, name: &str, arity: u8, line: u32, module: &Range<u32>) -> &mut Definition<'t> {
        let key = (module.start, name.to_owned(), arity);
        let at = *self.known.entry(key).or_insert(self.definitions.len());
        if at == self.definitions.len() {
            self.definitions.push(Definition {
                name: name.to_owned(),
                arity,
                line,
                module: module.clone(),
                words: Vec::new(),
                words_left_out: 0,
                tokens: Vec::new(),
            });
        }
        &mut self.definitions[at]
    }
}

/// The arguments of a head.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Arguments {
    count: u8,
    /// Of those, the ones that have a default.
    defaults: u8,
}

/// Whether a head that begins with these tokens, and does not close, is too long to be followed.
fn is_too_long(head: &[Token<'_>]) -> bool {
    head.len() > MOST_HEAD_TOKENS
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
            if let Ok(definitions) = Definitions::of(path, text) {
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
    fn a_definition_is_one_and_a_call_is_none() {
        let erlang = Definitions::of("a.erl", "f(X) -> g(X).\n'odd name'() -> ok.\n").unwrap();
        assert!(erlang.has("f") && erlang.has("odd name"));
        assert!(!erlang.has("g") && !erlang.has("odd"));
        let text = "defmodule A do\n  defp f(x), do: g(x)\nend\n";
        let elixir = Definitions::of("a.ex", text).unwrap();
        assert!(elixir.has("f") && !elixir.has("g"));
    }

    /// Whether a function whose body is this names another, `name/arity`.
    fn mentions(path: &str, body: &str, other: &str) -> bool {
        let text = match path {
            "a.ex" => format!("defmodule A do\n  def caller() do\n    {body}\n  end\nend\n"),
            _ => format!("caller() -> {body}.\n"),
        };
        let definitions = Definitions::of(path, &text).unwrap();
        let caller = definitions.get("caller", 0, 2).unwrap();
        let (name, arity) = other.split_once('/').unwrap();
        definitions.mentions(caller, name, arity.parse().ok())
    }

    #[test]
    fn words_are_whole_words() {
        let is_named = |other: &str| mentions("a.erl", "total(sub_total(X))", other);
        assert!(is_named("total/1") && is_named("sub_total/1"));
        assert!(!is_named("sub/1") && !is_named("tota/1"));
        assert!(!mentions("a.erl", "\"total(X)\"", "total/1"), "a text");
    }

    #[test]
    fn a_call_with_another_number_of_arguments_is_of_another_function() {
        for (body, arity) in [
            ("f()", 0),
            ("f(X)", 1),
            ("f([A, B], {C, D})", 2),
            ("f(g(A, B), \"a, (\", 'x,', $,, $\\n)", 5),
            ("f(A, % one, two\n B)", 2),
            ("x:f(A, <<B:8, C/binary>>)", 2),
        ] {
            let other = |arity: usize| format!("f/{arity}");
            assert!(mentions("a.erl", body, &other(arity)), "{body}");
            assert!(!mentions("a.erl", body, &other(arity + 1)), "{body}");
        }
        // Without a list the arity is not known, and a pipe gives one more.
        assert!(mentions("a.erl", "fun f/3", "f/7"));
        assert!(mentions("a.ex", "x |> f(1)", "f/2"));
    }

    /// Whether the text declares as this one does, and a function `f` of it has the same code.
    fn compared(path: &str, before: &str, after: &str) -> (bool, bool) {
        let of_before = Definitions::of(path, before).unwrap();
        let of_after = Definitions::of(path, after).unwrap();
        let f = of_before.by_name.get("f").unwrap().first().unwrap();
        (of_before.declares_as(&of_after), of_after.has_code_of(f))
    }

    #[test]
    fn a_macro_is_code_and_a_type_is_none() {
        let text = "-define(A(X),\n  X + 1).\n-spec f() -> ok.\nf() -> ?A(1).\n";
        let with = |old: &str, new: &str| compared("a.erl", text, &text.replace(old, new));
        assert_eq!(
            with("-spec f() -> ok.", "-spec f() -> term()."),
            (true, true)
        );
        assert_eq!(with("f() ->", "%% f\nf()  ->"), (true, true), "layout");
        assert_eq!(with("X + 1", "X + 2"), (false, true), "in the second line");
        assert_eq!(with("?A(1)", "?A(2)"), (true, false));
        let inlined = "-compile({inline, [f/1]}).\n";
        for (path, text) in [("a.erl", inlined), ("a.ex", "  @compile {:inline, f: 1}\n")] {
            assert!(Definitions::of(path, text).unwrap().asks_for_inlining());
        }
        let without = Definitions::of("a.erl", "-compile(export_all).\n").unwrap();
        assert!(!without.asks_for_inlining());
    }

    #[test]
    fn in_elixir_attributes_and_macros_are_code_and_docs_are_none() {
        let text = "defmodule A do\n  @table %{\n    a: 1\n  }\n  use B,\n    c: 1\n  @doc \"f\"\n  @spec f(a, b) ::\n    integer\n  def f(x, y \\\\ 1), do: @table[x] + y\n  defmacro g(x) do\n    x\n  end\nend\n";
        let with = |old: &str, new: &str| compared("a.ex", text, &text.replace(old, new));
        assert_eq!(with("\"f\"", "\"\"\"\n  f\n  \"\"\""), (true, true));
        assert_eq!(with("    integer", "    float"), (true, true));
        assert_eq!(with("    a: 1", "    a: 2"), (false, true));
        assert_eq!(with("    c: 1", "    c: 2"), (false, true));
        assert_eq!(with("    x\n", "    x + 1\n"), (false, true), "a macro");
        // `f/1`, which the compiler makes of the default, is the first of the name.
        assert_eq!(with("\\\\ 1", "\\\\ 2"), (true, false));
    }

    #[test]
    fn a_module_is_used_by_its_name_or_by_one_of_the_text_s_own() {
        let uses = |declared: &str| {
            let text = format!("defmodule A do\n{declared}\n  def f(x), do: x\nend\n");
            let definitions = Definitions::of("a.ex", &text).unwrap();
            definitions.uses_any(&["Macros".to_owned()])
        };
        for declared in [
            "  use Shop.Macros",
            "  import Shop.Macros, only: [priced: 1]",
            "  require Shop.{Other, Macros}",
            "  alias Shop.Macros\n  require Macros",
            "  alias Shop.Macros, as: M\n  import M",
        ] {
            assert!(uses(declared), "{declared}");
        }
        for declared in [
            "",
            "  alias Shop.Macros",
            "  use Shop.MacrosOther",
            "  alias Shop.Other, as: M\n  import M",
            "  @doc \"use Shop.Macros\"",
        ] {
            assert!(!uses(declared), "{declared}");
        }
    }

    #[test]
    fn a_text_over_several_lines_is_a_part_of_its_function() {
        let text = "f() -> \"one.\ntwo.\n\", a.\n";
        assert_eq!(compared("a.erl", text, text), (true, true));
        assert_eq!(
            compared("a.erl", text, &text.replace(", a.", ", b.")),
            (true, false)
        );
        let definitions = Definitions::of("a.erl", text).unwrap();
        assert_eq!(definitions.get("f", 0, 1).unwrap().lines().len(), 2);
    }

    #[test]
    fn heads_without_an_end_are_given_up() {
        read(&"def f(".repeat(50_000));
        read(&"~".repeat(200_000));
        read(&"\"\"\"x".repeat(50_000));
        read(&"defmodule A do def f, do: 1\n".repeat(20_000));
    }
}
