//! Names of functions with `*` for anything.

/// A name in which each `*` stands for any characters, also for none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamePattern(String);

impl NamePattern {
    pub fn new(pattern: &str) -> Self {
        Self(pattern.to_owned())
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether it can fit one name alone.
    pub fn names_one(&self) -> bool {
        !self.0.contains('*')
    }

    /// Whether the whole name fits; in time that grows with both lengths and no faster.
    pub fn fits(&self, name: &str) -> bool {
        let mut parts = self.0.split('*');
        let first = parts.next().unwrap_or_default();
        let Some(mut rest) = name.strip_prefix(first) else {
            return false;
        };
        let mut parts: Vec<&str> = parts.collect();
        // Without a star the first part is all of it.
        let Some(last) = parts.pop() else {
            return rest.is_empty();
        };
        for part in parts {
            match rest.find(part) {
                Some(at) => rest = &rest[at + part.len()..],
                None => return false,
            }
        }
        rest.ends_with(last)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_is_any_characters() {
        let fits = |pattern: &str, name: &str| NamePattern::new(pattern).fits(name);
        assert!(fits("shop:total/1", "shop:total/1"));
        assert!(!fits("shop:total/1", "shop:total/10"));
        assert!(fits("Jason.Encode.*", "Jason.Encode.value/3"));
        assert!(fits("*:total/*", "shop:total/1"));
        assert!(fits("*", ""));
        assert!(fits("a*a", "aa"));
        assert!(!fits("a*a", "a"));
        assert!(!fits("*b*c", "acb"));
        assert!(fits("ü*ß", "üxß"));
    }
}
