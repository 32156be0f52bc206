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
        let unquoted = function
            .strip_prefix('\'')
            .and_then(|name| name.strip_suffix('\''));
        is_arity.then_some(Self {
            module,
            function: unquoted.unwrap_or(function),
            arity,
        })
    }

    pub fn is_same_but_module(&self, other: &Self) -> bool {
        self.function == other.function && self.arity == other.arity
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
        ] {
            assert_eq!(name(odd), None, "{odd}");
        }
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
