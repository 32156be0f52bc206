//! Functions by the text of their bodies.

use super::erlang_name::ErlangName;
use super::line_map::likeness;
use crate::identity::{FunctionId, KnownFunction};
use crate::sources::SourceFile;

/// From here on a body is the same one.
const ALIKE: f64 = 0.8;
/// The next best has to be worse by this much, or it is not known which it is.
const MARGIN: f64 = 0.1;
/// Less text than this is alike by chance.
const LEAST_CHARACTERS: usize = 30;
const MOST_LINES: usize = 2_000;

/// The lines of a function, without what a change of its name or layout changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Body {
    lines: Vec<String>,
}

impl Body {
    /// The function whose head is on the line that is known of it.
    pub fn of(function: &KnownFunction, file: &SourceFile) -> Option<Self> {
        let name = ErlangName::parse(&function.identity.name)?;
        if name.closure().is_some() {
            return None;
        }
        let lines = form_at(function.head_line, name.function, file)?;
        let characters: usize = lines.iter().map(String::len).sum();
        (characters >= LEAST_CHARACTERS).then_some(Self { lines })
    }
}

/// The lines of the form that begins on a line: all clauses of a function, as bodies have them.
pub fn form_at(head_line: u32, function: &str, file: &SourceFile) -> Option<Vec<String>> {
    lines_of(head_line, function, file, function)
}

/// The same with the function's own name, which others of another arity may have, too.
pub fn lines_at(head_line: u32, function: &str, file: &SourceFile) -> Option<Vec<String>> {
    lines_of(head_line, function, file, "")
}

fn lines_of(
    head_line: u32,
    function: &str,
    file: &SourceFile,
    left_out: &str,
) -> Option<Vec<String>> {
    let head = (head_line as usize).checked_sub(1)?;
    let lines: Vec<&str> = file.text.lines().skip(head).take(MOST_LINES).collect();
    let length = match file.is_elixir() {
        true => elixir_length(&lines, function),
        false => erlang_length(&lines),
    };
    let lines: Vec<String> = lines[..length]
        .iter()
        .map(|line| without_name(line, left_out))
        .filter(|line| !line.is_empty())
        .collect();
    (!lines.is_empty()).then_some(lines)
}

/// Pairs of functions that are alike and have no other that is nearly as much, each at most once.
pub fn most_alike(
    base: &[(FunctionId, Body)],
    new: &[(FunctionId, Body)],
) -> Vec<(FunctionId, FunctionId)> {
    let best_for = |body: &Body, others: &[(FunctionId, Body)]| {
        let mut best: Option<(FunctionId, f64)> = None;
        let mut second = 0.0;
        for (id, other) in others {
            let alike = match may_be_alike(body, other) {
                true => likeness(&body.lines, &other.lines),
                false => 0.0,
            };
            match best {
                Some((_, most)) if alike <= most => second = f64::max(second, alike),
                _ => {
                    second = best.map_or(0.0, |(_, most)| most);
                    best = Some((*id, alike));
                }
            }
        }
        best.filter(|(_, most)| *most >= ALIKE && most - second >= MARGIN)
            .map(|(id, _)| id)
    };
    let mut pairs = Vec::new();
    for (id, body) in base {
        let Some(found) = best_for(body, new) else {
            continue;
        };
        let other = new.iter().find(|(other, _)| *other == found);
        // It has to be so from both ends.
        if other.and_then(|(_, other)| best_for(other, base)) == Some(*id) {
            pairs.push((*id, found));
        }
    }
    pairs
}

/// A cheap check: twice as long can never be alike enough.
fn may_be_alike(a: &Body, b: &Body) -> bool {
    let (a, b) = (a.lines.len() as f64, b.lines.len() as f64);
    2.0 * a.min(b) / (a + b) >= ALIKE
}

/// Lines up to the one that ends the form.
fn erlang_length(lines: &[&str]) -> usize {
    let ends = |line: &&str| {
        let code = line.split('%').next().unwrap_or_default().trim_end();
        code.ends_with('.')
    };
    lines
        .iter()
        .position(ends)
        .map_or(lines.len(), |last| last + 1)
}

/// Lines of a definition and of the clauses that follow it.
fn elixir_length(lines: &[&str], function: &str) -> usize {
    let indent = |line: &str| line.len() - line.trim_start().len();
    let Some(head) = lines.first() else { return 0 };
    let depth = indent(head);
    let is_clause = |line: &str| {
        let mut words = line.split_whitespace();
        let keyword = words.next().unwrap_or_default();
        let named = words.next().is_some_and(|word| {
            let rest = word.strip_prefix(function);
            rest.is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_'))
        });
        keyword.starts_with("def") && named
    };
    let mut end = 1;
    for (position, line) in lines.iter().enumerate().skip(1) {
        let code = line.trim();
        let is_inside =
            code.is_empty() || indent(line) > depth || code == "end" && indent(line) == depth;
        if !is_inside && !is_clause(line) {
            break;
        }
        if !code.is_empty() {
            // The `end` of the module is less deep, and not ours.
            end = position + 1;
        }
    }
    end
}

/// The line without comment, blanks between words made one, and the function's own name.
fn without_name(line: &str, name: &str) -> String {
    let code = match line.trim_start().starts_with(['%', '#']) {
        true => "",
        false => line,
    };
    let words: Vec<&str> = code.split_whitespace().collect();
    let text = words.join(" ");
    let is_word = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    let mut shown = String::with_capacity(text.len());
    let mut rest = text.as_str();
    while let Some(at) = rest.find(name).filter(|_| !name.is_empty()) {
        let (before, after) = (&rest[..at], &rest[at + name.len()..]);
        let before_is_word = is_word(
            before
                .chars()
                .next_back()
                .or_else(|| shown.chars().next_back()),
        );
        shown.push_str(before);
        match before_is_word || is_word(after.chars().next()) {
            true => shown.push_str(name),
            false => shown.push('\u{1}'),
        }
        rest = after;
    }
    shown.push_str(rest);
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_erlang_function_ends_with_its_form() {
        let text = [
            "price(1) -> a;",
            "price(X) -> X. % done",
            "",
            "other() -> ok.",
        ];
        assert_eq!(erlang_length(&text), 2);
    }

    #[test]
    fn an_elixir_function_is_all_its_clauses() {
        let text = [
            "  def price(1), do: 2",
            "",
            "  def price(x) do",
            "    x + 1",
            "  end",
            "",
            "  def prices(xs), do: xs",
            "end",
        ];
        assert_eq!(elixir_length(&text, "price"), 5);
    }

    #[test]
    fn the_own_name_does_not_count() {
        assert_eq!(
            without_name("  price(X) ->   price(X, y).", "price"),
            "\u{1}(X) -> \u{1}(X, y)."
        );
        assert_eq!(
            without_name("prices(price_of)", "price"),
            "prices(price_of)"
        );
        assert_eq!(without_name("%% price", "price"), "");
    }
}
