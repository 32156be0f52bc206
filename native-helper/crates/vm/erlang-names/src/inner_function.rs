//! Functions that a compiler made of a part of another: closures, comprehensions, inlined loops.
//!
//! The Erlang compiler names them `-OUTER/ARITY-WHAT-`, and Elixir's names go through it too:
//!
//! | WHAT | is |
//! |---|---|
//! | `fun-N` | a fun |
//! | `anonymous-N` | a copy of a fun, made by the inliner |
//! | `Name/A-N` | the fun called `Name` inside itself |
//! | `lc$^K/A-N`, `mc$^K/A-N`, `bc$^K/A-N`, `lbc$^K/A-N` | a comprehension |
//! | `after$^K/A-N` | the `after` part of a `try` |
//! | `lists^foldl/A-N` | the loop of an inlined `lists:foldl` |
//!
//! `-fun.f/A-` is `fun f/A` as a value; `-inlined-f/A-` a copy of `f/A`.
//!
//! Elixir makes a fun of the body of a `for` over lists and other enumerables, which nothing distinguishes from one
//! that the source passes to `Enum.reduce`. A `for` over binaries is a comprehension, or with `reduce`, `uniq`, a
//! generator of another kind or most collections in `into` a fun that calls itself, called by a variable of the
//! compiler's own: `_@3/2-N`, with OTP 29 `_3/2-N`. No fun in the source of an Elixir function is called anything.

/// What a function was made of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Part<'n> {
    /// A fun.
    Fun,
    /// A fun with a name of its own, and its own arity.
    NamedFun(&'n str, u8),
    /// A comprehension: of a list, a map, a binary.
    Comprehension(&'static str),
    /// The `after` of a `try`.
    After,
    /// The loop of an inlined call of another module's function: module, function and arity.
    InlinedCall(&'n str, &'n str, u8),
    /// The function itself as a value.
    Value,
    /// A copy of the function itself, made by the inliner.
    Copy,
}

/// A function that is a part of another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct InnerFunction<'n> {
    /// The function of the source, without quotes.
    pub outer: &'n str,
    /// Its arity.
    pub outer_arity: u8,
    /// Which part of it.
    pub part: Part<'n>,
    /// Distinguishes parts of one function; 0 for the first.
    pub number: u32,
}

impl<'n> InnerFunction<'n> {
    /// Takes a function name, without quotes, apart; `None` for functions of the source.
    pub fn parse(name: &'n str) -> Option<Self> {
        let inside = name.strip_prefix('-')?.strip_suffix('-')?;
        for (prefix, part) in [("fun.", Part::Value), ("inlined-", Part::Copy)] {
            if let Some(of) = inside.strip_prefix(prefix) {
                let (outer, outer_arity) = function_and_arity(of)?;
                return Some(Self {
                    outer,
                    outer_arity,
                    part,
                    number: 0,
                });
            }
        }
        // The name of the outer function may hold anything, so every place is tried.
        inside.match_indices('/').find_map(|(slash, _)| {
            let (arity, what) = inside.get(slash + 1..)?.split_once('-')?;
            let (part, number) = part_and_number(what)?;
            Some(Self {
                outer: inside.get(..slash).filter(|outer| !outer.is_empty())?,
                outer_arity: arity.parse().ok()?,
                part,
                number,
            })
        })
    }
}

fn part_and_number(what: &str) -> Option<(Part<'_>, u32)> {
    let (what, number) = what.rsplit_once('-')?;
    let number = number.parse().ok()?;
    if matches!(what, "fun" | "anonymous") {
        return Some((Part::Fun, number));
    }
    let (name, arity) = function_and_arity(what)?;
    if let Some((kind, _)) = name.split_once("$^") {
        let part = match kind {
            "lc" => Part::Comprehension("list"),
            "mc" => Part::Comprehension("map"),
            "bc" | "lbc" => Part::Comprehension("binary"),
            "after" => Part::After,
            _ => return None,
        };
        return Some((part, number));
    }
    let part = match name.split_once('^') {
        // The loop has all arguments of the call but the fun.
        Some((module, function)) => Part::InlinedCall(module, function, arity.checked_add(1)?),
        None => Part::NamedFun(name, arity),
    };
    Some((part, number))
}

fn function_and_arity(text: &str) -> Option<(&str, u8)> {
    let (name, arity) = text.rsplit_once('/')?;
    Some((name, arity.parse().ok()?)).filter(|_| !name.is_empty())
}
