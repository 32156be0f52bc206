//! `/proc/self/limits`.

/// Soft and hard value of one limit; `None` is unlimited.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limit {
    /// In force.
    pub soft: Option<u64>,
    /// The most that an unprivileged process can raise it to.
    pub hard: Option<u64>,
}

/// The limit called `name` (`Max open files`) in the text of `/proc/PID/limits`.
pub fn parse_limit(text: &str, name: &str) -> Option<Limit> {
    let rest = text.lines().find_map(|line| line.strip_prefix(name))?;
    let mut values = rest.split_ascii_whitespace().map(|value| match value {
        "unlimited" => Some(None),
        number => number.parse().ok().map(Some),
    });
    Some(Limit {
        soft: values.next()??,
        hard: values.next()??,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "Limit                     Soft Limit           Hard Limit           Units\n\
        Max open files            1024                 524288               files\n\
        Max locked memory         8388608              unlimited            bytes\n";

    #[test]
    fn limits_as_the_kernel_prints_them() {
        let files = parse_limit(TEXT, "Max open files").unwrap();
        assert_eq!((files.soft, files.hard), (Some(1024), Some(524_288)));
        assert_eq!(parse_limit(TEXT, "Max locked memory").unwrap().hard, None);
        assert_eq!(parse_limit(TEXT, "Max nonsense"), None);
        assert_eq!(parse_limit("Max open files x y", "Max open files"), None);
    }
}
