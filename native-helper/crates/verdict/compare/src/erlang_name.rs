//! Names of Erlang functions as the VM spells them.

/// `'Elixir.Enum':map/2` in its parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ErlangName<'n> {
    /// Without quotes.
    pub module: &'n str,
    /// Without quotes.
    pub function: &'n str,
    pub arity: &'n str,
}

/// A closure or comprehension: `'-price/1-fun-3-'` is the fourth that the compiler made of `price/1`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ClosureName<'n> {
    pub module: &'n str,
    /// The name up to its number, without the number of the nesting: `-price/1-lc$^`.
    pub family: String,
    pub arity: &'n str,
    pub number: u32,
}

impl<'n> ErlangName<'n> {
    pub fn parse(name: &'n str) -> Option<Self> {
        let (module, rest) = match name.strip_prefix('\'') {
            Some(quoted) => quoted.split_once("':")?,
            None => name.split_once(':')?,
        };
        let (function, arity) = rest.rsplit_once('/')?;
        let is_arity = !arity.is_empty() && arity.bytes().all(|byte| byte.is_ascii_digit());
        // The form of other tools: `fun/1 in shop:total/1`.
        let is_module = name.starts_with('\'') || !module.contains(' ');
        let unquoted = function
            .strip_prefix('\'')
            .and_then(|name| name.strip_suffix('\''));
        (is_arity && is_module).then_some(Self {
            module,
            function: unquoted.unwrap_or(function),
            arity,
        })
    }

    /// The part before the function's name: the module as the VM spells it, and a colon.
    pub fn prefix(&self, name: &'n str) -> &'n str {
        let quotes = if name.starts_with('\'') { 2 } else { 0 };
        name.get(..self.module.len() + quotes + 1).unwrap_or(name)
    }

    /// The function, and its arity, that a closure, comprehension or copy was made of.
    pub fn outer(&self) -> Option<ErlangName<'n>> {
        let inside = self.function.strip_prefix('-')?.strip_suffix('-')?;
        let of = ["fun.", "inlined-"].into_iter();
        let inside = of
            .filter_map(|made| inside.strip_prefix(made))
            .next()
            .unwrap_or(inside);
        // The name of the outer function may hold anything, so every place is tried.
        inside.match_indices('/').find_map(|(slash, _)| {
            let after = inside.get(slash + 1..)?;
            let digits = after.len() - after.trim_start_matches(|c: char| c.is_ascii_digit()).len();
            let (arity, rest) = after.split_at(digits);
            let is_outer = digits > 0 && slash > 0 && (rest.is_empty() || rest.starts_with('-'));
            is_outer.then_some(Self {
                module: self.module,
                function: inside.get(..slash)?,
                arity,
            })
        })
    }

    pub fn closure(&self) -> Option<ClosureName<'n>> {
        let inner = self.function.strip_prefix('-')?.strip_suffix('-')?;
        let (family, number) = inner.rsplit_once('-')?;
        Some(ClosureName {
            module: self.module,
            family: without_nesting(family),
            arity: self.arity,
            number: number.parse().ok()?,
        })
    }
}

/// `price/1-lc$^0/1` as `price/1-lc$^/1`.
fn without_nesting(family: &str) -> String {
    let mut parts = family.split('^');
    let mut name = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        name.push('^');
        name.push_str(part.trim_start_matches(|c: char| c.is_ascii_digit()));
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_come_apart() {
        let name =
            |text| ErlangName::parse(text).map(|name| (name.module, name.function, name.arity));
        assert_eq!(name("lists:sort/1"), Some(("lists", "sort", "1")));
        assert_eq!(
            name("'Elixir.Enum':map/2"),
            Some(("Elixir.Enum", "map", "2"))
        );
        assert_eq!(name("erlang:'/'/2"), Some(("erlang", "/", "2")));
        assert_eq!(name("a:'-f/1-fun-0-'/1"), Some(("a", "-f/1-fun-0-", "1")));
        for odd in [
            "",
            "sort",
            "lists:sort",
            "lists:sort/",
            "lists:sort/x",
            "'lists:sort/1",
            "fun/1 in lists:sort/1",
        ] {
            assert_eq!(name(odd), None, "{odd}");
        }
    }

    #[test]
    fn parts_of_functions_have_an_outer_one() {
        let outer = |text| {
            let outer = ErlangName::parse(text).and_then(|name| name.outer())?;
            Some((outer.function, outer.arity))
        };
        assert_eq!(outer("a:'-f/1-fun-3-'/2"), Some(("f", "1")));
        assert_eq!(outer("a:'-a/b/2-lc$^0/1-1-'/1"), Some(("a/b", "2")));
        assert_eq!(outer("a:'-inlined-f/1-'/1"), Some(("f", "1")));
        assert_eq!(outer("a:f/1"), None);
        assert_eq!(outer("a:'-/1-'/1"), None);
        let prefix = |text| ErlangName::parse(text).map(|name| name.prefix(text));
        assert_eq!(prefix("'Elixir.A':f/1"), Some("'Elixir.A':"));
        assert_eq!(prefix("a:f/1"), Some("a:"));
    }

    #[test]
    fn closures_have_a_family_and_a_number() {
        let closure = |text| {
            let closure = ErlangName::parse(text).and_then(|name| name.closure())?;
            Some((closure.family, closure.number))
        };
        assert_eq!(
            closure("a:'-f/1-fun-3-'/2"),
            Some(("f/1-fun".to_owned(), 3))
        );
        assert_eq!(
            closure("a:'-f/1-lc$^0/1-1-'/1"),
            Some(("f/1-lc$^/1".to_owned(), 1))
        );
        assert_eq!(closure("a:f/1"), None);
        assert_eq!(closure("a:'-f-'/1"), None);
    }
}
